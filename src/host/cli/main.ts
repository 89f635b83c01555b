import { run } from './commands.ts';

/** The entry point of `gatehouse <command>`. Each command is a module, loaded on demand. */
const cwd = currentFolder();
if (Number.parseInt(process.versions.node, 10) < 22) {
  process.stderr.write(`gatehouse needs Node 22.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else if (cwd === undefined) {
  process.stderr.write('gatehouse: the current folder no longer exists. Change to another one.\n');
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
    // The current folder may have been removed.
    return undefined;
  }
}
