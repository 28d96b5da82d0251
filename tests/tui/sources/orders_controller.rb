# Read by the tests of the source view: what a line costs stands in test_screens_source.c.
class OrdersController < ApplicationController
  before_action :authenticate!

  # GET /orders
  def index
    @orders = Order.where(user: current_user)
                   .includes(:lines)
    @orders.each do |o|
      o.total = Price.total(o.lines)   # 注文の合計
    end
	render json: @orders.map(&:as_json)
  end

  # GET /orders/:id
  def show
    render json: Order.find(params[:id])
  end
end
