import type { ReportedProblem } from '../../acp/gatehouse/configure.ts';
import type { WireRule } from '../../acp/gatehouse/rules.ts';
import { Emitter } from '../../base/event.ts';
import { toRecord } from '../../base/json.ts';

/** An allow rule of the workspace that has no effect until the user accepts it. */
export interface WaitingRule {
  /** Absolute path of its settings file. */
  readonly file: string;
  readonly rule: WireRule;
  /** What is accepted: exactly this rule in this file. */
  readonly hash: string;
}

/** Some of the waiting rules, as a lens names them. Without fields: all. */
export interface WaitingArgument {
  readonly file?: string;
  readonly hash?: string;
}

/** The rules that wait, as the host reported last. */
export class WaitingRules {
  readonly #changed = new Emitter<void>();
  #all: readonly WaitingRule[] = [];

  readonly onDidChange = this.#changed.event;

  get all(): readonly WaitingRule[] {
    return this.#all;
  }

  /** The rules that an argument of a command names. */
  select(argument: unknown): readonly WaitingRule[] {
    const { file, hash } = toRecord(argument);
    return this.#all.filter(
      (each) =>
        (file === undefined || each.file === file) && (hash === undefined || each.hash === hash),
    );
  }

  update(problems: readonly ReportedProblem[]): void {
    this.#all = problems.flatMap(({ waiting, origin }) =>
      waiting === undefined || origin?.file === undefined
        ? []
        : [{ ...waiting, file: origin.file }],
    );
    this.#changed.fire();
  }
}

/** What is wrong with settings, without rules that only wait for the user. */
export function findBroken(problems: readonly ReportedProblem[]): readonly ReportedProblem[] {
  return problems.filter(({ waiting }) => waiting === undefined);
}
