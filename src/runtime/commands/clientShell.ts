import { failure, success } from '../../base/outcome.ts';
import type { ClientTerminals, Shell } from '../runtime.ts';
import { NEUTRAL } from './environment.ts';
import { shellLine } from './shell.ts';

interface ClientShellOptions {
  readonly terminals: ClientTerminals;
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  readonly signal: AbortSignal;
  readonly onStart: (terminalId: string) => void;
}

/**
 * Runs commands in another client's terminals (spec decision 5). The client cuts long output at its
 * beginning.
 */
export function createClientShell(options: ClientShellOptions): Shell {
  const { terminals, signal, shell, onStart } = options;
  return {
    async run({ command, cwd, timeoutMs, outputBytes, background }) {
      if (background) return failure('This editor cannot keep commands running in the background.');
      const [program, ...args] = shellLine(shell, command);
      const timeout = AbortSignal.timeout(timeoutMs);
      const ended = await terminals.run({
        command: program,
        args,
        cwd,
        env: NEUTRAL,
        outputByteLimit: outputBytes,
        signal: AbortSignal.any([signal, timeout]),
        onStart,
      });
      return success({
        output: ended.output,
        exitCode: ended.exitCode,
        signal: ended.signal,
        ended: signal.aborted ? 'abort' : timeout.aborted ? 'timeout' : 'exit',
        truncated: ended.truncated,
        notes: ended.truncated
          ? [
              'The editor discarded the beginning of the output. Redirect it to a file to see all of it.',
            ]
          : [],
        terminalId: ended.terminalId,
        left: [],
      });
    },
  };
}
