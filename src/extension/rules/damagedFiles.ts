import type { ReportedProblem } from '../../acp/gatehouse/configure.ts';
import type { Translate } from '../text/translate.ts';

export interface DamagedFilesParts {
  readonly t: Translate;
  label(file: string): string;
  /** Shows a warning. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  /** Opens a file at a line, 1-based. */
  open(file: string, line: number): Thenable<unknown>;
  onError(error: unknown): void;
}

/** Tells the user once of each settings file that can't be read completely, until it is fixed. */
export class DamagedFiles {
  readonly #parts: DamagedFilesParts;
  #known: ReadonlySet<string> = new Set();

  constructor(parts: DamagedFilesParts) {
    this.#parts = parts;
  }

  /** Takes all problems that the host has now. */
  update(problems: readonly ReportedProblem[]): void {
    const before = this.#known;
    const found = new Map<string, number>();
    for (const { origin, damagedLine } of problems) {
      if (origin?.file !== undefined && damagedLine !== undefined)
        found.set(origin.file, damagedLine);
    }
    this.#known = new Set(found.keys());
    for (const [file, line] of found) {
      if (!before.has(file)) void this.#tell(file, line);
    }
  }

  async #tell(file: string, line: number): Promise<void> {
    const { t, label, notify, open, onError } = this.#parts;
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
    }
  }
}
