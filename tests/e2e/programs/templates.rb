# Two workers, each in the same template, whose method has another name in each: a hash and a number of an object, as Action
# View makes them.
module Views; end
worker = lambda do
  name = "_app_views_orders_show_html_erb__#{rand(10**18)}_#{rand(100_000)}"
  Views.module_eval("def #{name} = sleep", "#{__dir__}/app/views/orders/show.html.erb", 1)
  Object.new.extend(Views).send(name)
end
2.times { fork(&worker) }
Process.waitall
