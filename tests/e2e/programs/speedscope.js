// The profiles that speedscope's own importer finds in a file: speedscope.js FOLDER FILE, where FOLDER has
// node_modules/speedscope. Prints a JSON list of {name, total, unit, frames}.
//
// The package has the importer only inside the program for the browser. A door to it is set into a copy of
// that text; the rest of the program stops where it wants a window, which does not matter.
"use strict";
const fs = require("fs"), vm = require("vm"), path = require("path");

const folder = path.join(process.argv[2], "node_modules/speedscope/dist/release");
const name = fs.readdirSync(folder).find((file) => /^speedscope-.*\.js$/.test(file));
const text = fs.readFileSync(path.join(folder, name), "utf8");
const importer = text.match(/importProfileGroupFromText:\(\)=>(\w+)/);
const loader = text.match(/Promise\.resolve\(\)\.then\(\(\)=>\((\w+)\(\),\w+\)\)/);
const start = '"use strict";(()=>{';
if (!importer || !loader || !text.startsWith(start)) {
  console.error("this speedscope is built otherwise");
  process.exit(77);
}
const door = `globalThis.take=(name,text)=>{${loader[1]}();return ${importer[1]}(name,text)};`;
const world = { console: { log() {}, warn: console.error, error: console.error }, setTimeout, clearTimeout,
  TextDecoder, TextEncoder, URL, queueMicrotask };
world.globalThis = world.window = world.self = world;
try {
  vm.runInNewContext(start + door + text.slice(start.length), world);
} catch (error) {
  if (!world.take) throw error;
}
const file = process.argv[3];
world.take(path.basename(file), fs.readFileSync(file, "utf8")).then((group) => {
  if (!group) throw new Error("it is not taken for a profile");
  console.log(JSON.stringify(group.profiles.map((profile) => {
    const frames = [];
    profile.forEachFrame((frame) => frames.push(frame.name));
    return { name: profile.getName(), total: profile.getTotalWeight(), unit: profile.getWeightUnit(), frames };
  })));
}).catch((error) => {
  console.error(error);
  process.exit(1);
});
