import type { ReportedProblem } from '../../acp/gatehouse/configure.ts';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';

export interface DamagedFilesParts {
  readonly t: Translate;
  readonly clock: Clock;
  label(file: string): string;
  /** Shows a warning. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  /** Opens a file at a line, 1-based. */
  open(file: string, line: number): Thenable<unknown>;
  /** Shows an error: the user pressed *Open File*, and would wait for it. */
  showError(message: string): unknown;
  onError(error: unknown): void;
}

/** With auto save, a file may be damaged at every pause in typing. In milliseconds. */
const TYPING_MS = 3_000;

/**
 * Tells the user once of each settings file that can't be read completely, until it is fixed: when it still can't
 * after a moment.
 */
export class DamagedFiles implements Disposable {
  readonly #parts: DamagedFilesParts;
  readonly #known = new Map<string, Damaged>();

  constructor(parts: DamagedFilesParts) {
    this.#parts = parts;
  }

  /** Takes all problems that the host has now. */
  update(problems: readonly ReportedProblem[]): void {
    const found = new Map<string, number>();
    for (const { origin, damagedLine } of problems) {
      if (origin?.file !== undefined && damagedLine !== undefined)
        found.set(origin.file, damagedLine);
    }
    for (const [file, { timer }] of this.#known) {
      if (found.has(file)) continue;
      timer.dispose();
      this.#known.delete(file);
    }
    for (const [file, line] of found) {
      const known = this.#known.get(file);
      if (known !== undefined) known.line = line;
      else this.#known.set(file, { line, timer: this.#start(file) });
    }
  }

  dispose(): void {
    for (const { timer } of this.#known.values()) timer.dispose();
    this.#known.clear();
  }

  #start(file: string): Disposable {
    return this.#parts.clock.after(TYPING_MS, () => {
      const known = this.#known.get(file);
      if (known !== undefined) void this.#tell(file, known.line);
    });
  }

  async #tell(file: string, line: number): Promise<void> {
    const { t, label, notify, open, onError, showError } = this.#parts;
    const name = label(file);
    const message =
      line > 0
        ? t(
            '{0} has an error in line {1}, so rules in it may be missing. Calls that rules allow ask until it is fixed.',
            name,
            line,
          )
        : t(
            "{0} can't be read, so rules in it may be missing. Calls that rules allow ask until it is fixed.",
            name,
          );
    try {
      const button = t('Open File');
      if ((await notify(message, button)) === button) await open(file, Math.max(line, 1));
    } catch (error) {
      onError(error);
      void showError(plainNotice(t('Gatehouse: {0}', getMessage(error))));
    }
  }
}

interface Damaged {
  /** 1-based, or 0; where the error is now. */
  line: number;
  readonly timer: Disposable;
}
