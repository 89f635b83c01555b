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

/** Commands in another client's terminals. The client cuts output from its beginning. */
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
          ? ['The editor cut the output: its beginning is lost. Redirect it to a file to see all.']
          : [],
        terminalId: ended.terminalId,
        left: [],
      });
    },
  };
}
