// Loaded into a host by `--import`: writes every path that it opens, lists or starts a program with to
// the file that SPY_LOG names, a line each.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

const { appendFileSync } = fs;

function log(kind, values) {
  for (const value of values) {
    if (typeof value === 'string' || value instanceof URL || Buffer.isBuffer(value)) {
      appendFileSync(process.env.SPY_LOG, `${kind} ${String(value).replaceAll('\n', ' ')}\n`);
    }
  }
}

const OPENING =
  /^(open|opendir|readFile|readdir|readlink|cp|copyFile|createReadStream|watch|watchFile)(Sync)?$/;

function spyOn(target) {
  for (const name of Object.keys(target)) {
    const real = target[name];
    if (typeof real !== 'function' || !OPENING.test(name)) continue;
    target[name] = function (...args) {
      log(name, args.slice(0, 1));
      return real.apply(this, args);
    };
  }
}

spyOn(fs);
spyOn(fs.promises);
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'fork']) {
  const real = childProcess[name];
  childProcess[name] = function (file, args, options) {
    log(name, [file, ...(Array.isArray(args) ? args : []), options?.cwd]);
    return real.call(this, file, args, ...(options === undefined ? [] : [options]));
  };
}
syncBuiltinESMExports();
