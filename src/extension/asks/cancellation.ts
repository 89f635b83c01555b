import type * as vscode from 'vscode';

/** The signal in the shape that the editor's input boxes take, so that an answer elsewhere closes them. */
export function toToken(signal: AbortSignal): vscode.CancellationToken {
  return {
    get isCancellationRequested() {
      return signal.aborted;
    },
    onCancellationRequested(listener, self) {
      const abort = () => listener.call(self, undefined);
      signal.addEventListener('abort', abort, { once: true });
      return { dispose: () => signal.removeEventListener('abort', abort) };
    },
  };
}
