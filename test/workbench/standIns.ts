const WATCHDOG = 'exports.start = () => {};\n';

/**
 * Some native modules of the VS Code server have no prebuilt binary. Compiling them would need a
 * C++ toolchain on every machine, so tests run with these: the watchdog only ends orphaned
 * extension hosts (the test bed does that itself), spdlog only writes log files, and node-pty runs
 * shells in terminals, which no test of the floor does: the terminals of Gatehouse are its own.
 */
export const STAND_INS: Readonly<Record<string, string>> = {
  'native-watchdog': WATCHDOG,
  '@vscode/native-watchdog': WATCHDOG,
  'node-pty': "exports.spawn = () => { throw new Error('Tests run no shells here.'); };\n",
  '@vscode/spdlog': `
const fs = require('node:fs');
const path = require('node:path');
const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  constructor(file) {
    this.file = file;
    this.level = 2;
    this.raw = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, '');
  }
  write(level, message) {
    if (level < this.level) return;
    const stamp = new Date().toISOString().replace('T', ' ').replace('Z', '');
    const line = this.raw ? message : stamp + ' [' + LEVELS[level] + '] ' + message + '\\n';
    try {
      fs.appendFileSync(this.file, line);
    } catch {
      // The folder of a test's server may be gone already.
    }
  }
  trace(message) { this.write(0, message); }
  debug(message) { this.write(1, message); }
  info(message) { this.write(2, message); }
  warn(message) { this.write(3, message); }
  error(message) { this.write(4, message); }
  critical(message) { this.write(5, message); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() {}
  clearFormatters() { this.raw = true; }
  flush() {}
  drop() {}
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = async (name, file) => new Logger(file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger(file);
`,
};
