import { run } from './commands.ts';

/** The process's door: `gatehouse <command>`. Every command is a module of its own, loaded when it is named. */
const cwd = currentFolder();
if (Number.parseInt(process.versions.node, 10) < 22) {
  process.stderr.write(`gatehouse needs Node 22.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else if (cwd === undefined) {
  process.stderr.write('gatehouse: the current folder was removed. Change to another one.\n');
  process.exitCode = 2;
} else {
  process.exitCode = await run({
    args: process.argv.slice(2),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd,
  });
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // The folder it was started in may be gone.
    return undefined;
  }
}
