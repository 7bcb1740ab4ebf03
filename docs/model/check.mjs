// Checks a TLA+ module with tla-checker and prints "-" or "broken" and the number of states.
// Usage: node check.mjs FOLDER-OF-TLA-CHECKER SPEC CFG
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, spec, cfg] = process.argv.slice(2);
const MOST_STATES = 2_000_000;
const DEEPEST = 500;

const checker = await import(pathToFileURL(path.resolve(folder, "tla_checker.js")));
checker.initSync({ module: fs.readFileSync(path.join(folder, "tla_checker_bg.wasm")) });
const text = (file) => fs.readFileSync(file, "utf8");
const result = JSON.parse(
  checker.check_spec_with_cfg(text(spec), text(cfg), "{}", MOST_STATES, DEEPEST, true, false));

if (!result.success && result.error_type !== "InvariantViolation") {
  console.error(`${result.error_type}: ${result.error_message}`);
}
const verdict = result.success ? "-" : result.error_type === "InvariantViolation" ? "broken" : "unfinished";
console.log(`${verdict} ${result.states_explored}`);
