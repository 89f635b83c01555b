import { parseCommand, USAGE } from './commands.ts';

/** The process's door: `gatehouse <command>`. Every command is a module of its own, loaded when it is named. */
const command = parseCommand(process.argv.slice(2));
if (command === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await command.run({
    args: command.args,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
  });
}
