import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { TerminalInput } from '../../base/terminalInput.ts';
import type { ProcessGroup } from './startProgram.ts';

/** A command of the session that is running or has left processes running. */
export interface RunningCommand {
  readonly terminalId: string;
  readonly title: string;
  readonly tree: ProcessGroup;
  /** False when the command takes no input. */
  type(data: string): boolean;
  closeInput(): void;
  interrupt(): void;
  end(): Promise<void>;
  /** The same, at the user's wish, which the model is told. */
  stop(): Promise<void>;
  /** False if it may not run on in the background. */
  background(): boolean;
}

/** All commands of one session; those still running are killed when it ends. */
export interface SessionProcesses {
  add(command: RunningCommand): void;
  remove(command: RunningCommand): void;
  /** Applies what the user did in the pane. */
  input(input: TerminalInput): Promise<Outcome<void>>;
  endAll(): Promise<void>;
}

export function createProcesses(): SessionProcesses {
  const commands = new Map<string, RunningCommand>();
  return {
    add: (command) => void commands.set(command.terminalId, command),
    remove: ({ terminalId }) => void commands.delete(terminalId),
    async input(input) {
      const command = commands.get(input.terminalId);
      if (command === undefined) return failure('This command is no longer running.');
      return apply(command, input);
    },
    async endAll() {
      await Promise.all([...commands.values()].map((command) => command.end()));
      commands.clear();
    },
  };
}

async function apply(command: RunningCommand, input: TerminalInput): Promise<Outcome<void>> {
  if (input.background && !command.background()) {
    return failure(
      'This command runs in a copy of the workspace and can not run on in the background.',
    );
  }
  if (input.data !== undefined && !command.type(input.data)) {
    return failure(
      'This command does not accept input, because it does not run in the background.',
    );
  }
  if (input.signal === 'SIGINT') command.interrupt();
  if (input.signal === 'EOF') command.closeInput();
  if (input.signal === 'kill') await command.stop();
  return success(undefined);
}
