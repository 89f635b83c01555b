import type { SandboxStatus } from '../../acp/gatehouse/configure.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';

/** The sandbox of the host, as it last said. */
export class SandboxStore implements Disposable {
  readonly #changed = new Emitter<void>();
  #status: SandboxStatus = { state: 'untested' };

  readonly onDidChange = this.#changed.event;

  get status(): SandboxStatus {
    return this.#status;
  }

  update(status: SandboxStatus): void {
    this.#status = status;
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
