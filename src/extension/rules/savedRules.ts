import path from 'node:path';
import type { WireRule } from '../../acp/gatehouse/rules.ts';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { AskAnswer, ChosenRule, PermissionAsk } from '../../webview/messages/asks.ts';
import { plainNotice } from '../text/plainNotice.ts';
import { toRuleText } from '../text/ruleText.ts';
import type { Translate } from '../text/translate.ts';
import type { SavedRule } from './files/ruleFiles.ts';

export interface SavedRulesParts {
  readonly clock: Clock;
  readonly t: Translate;
  /** Shows a notification. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  /** Removes a rule from its file. False if it is gone. */
  remove(saved: SavedRule): Promise<boolean>;
  open(saved: SavedRule): Promise<void>;
  /** Makes the host drop a rule, of a session or one that its settings don't contain yet. */
  drop(dropped: DroppedRule): Promise<void>;
  /** Shows an error: the user pressed a button, and would take silence for success. */
  showError(message: string): unknown;
  onError(error: unknown): void;
}

export interface DroppedRule {
  readonly rule: WireRule;
  readonly sessionId?: string;
  readonly file?: string;
}

/** The rules of one answer are saved one after the other; their notification waits this long. */
const TOGETHER_MS = 300;

/** More rules are counted instead of listed. */
const MOST_NAMED = 10;

/** Tells the user which rules "always" saved, with *Undo* and *Open*: one notification per file. */
export class SavedRules implements Disposable {
  readonly #parts: SavedRulesParts;
  #waiting: SavedRule[] = [];
  #timer: Disposable | undefined;

  constructor(parts: SavedRulesParts) {
    this.#parts = parts;
  }

  add(saved: SavedRule): void {
    this.#waiting.push(saved);
    this.#timer?.dispose();
    this.#timer = this.#parts.clock.after(TOGETHER_MS, () => void this.#showFiles());
  }

  /** Tells of rules that an answer stored in its session. */
  answered(
    sessionId: string,
    { options, offers }: Pick<PermissionAsk, 'options' | 'offers'>,
    answer: AskAnswer,
  ): void {
    if (answer.kind !== 'option') return;
    const option = options.find((each) => each.optionId === answer.optionId);
    if (option?.destination !== 'session') return;
    // Nothing asks again after a denial for the session, so this offers to undo it.
    const denied = option.kind === 'reject_always' ? offers.deny : [];
    const rules = answer.rules ?? denied.flatMap(({ rules: [first] }) => first?.rule ?? []);
    if (rules.length > 0) void this.#showSession(sessionId, rules);
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  async #showSession(sessionId: string, rules: readonly ChosenRule[]): Promise<void> {
    const { notify, drop, t } = this.#parts;
    try {
      const undo = t('Undo');
      const message = t('Saved for this session: {0}', toText(rules));
      if ((await notify(message, undo)) !== undo) return;
      for (const rule of rules) await drop({ rule, sessionId });
    } catch (error) {
      this.#fail(error);
    }
  }

  async #showFiles(): Promise<void> {
    const files = Map.groupBy(this.#waiting, ({ file }) => file);
    this.#waiting = [];
    await Promise.all([...files.values()].map((all) => this.#showFile(all)));
  }

  async #showFile(all: readonly SavedRule[]): Promise<void> {
    const [first] = all;
    if (first === undefined) return;
    const { notify, open, t } = this.#parts;
    try {
      const [undo, show] = [t('Undo'), t('Open')];
      const chosen = await notify(this.#toMessage(first, all), undo, show);
      if (chosen === undo) await this.#undo(all);
      if (chosen === show) await open(all.at(-1) ?? first);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const { onError, showError, t } = this.#parts;
    onError(error);
    void showError(plainNotice(t('Gatehouse: {0}', getMessage(error))));
  }

  #toMessage({ destination, file, unsaved }: SavedRule, all: readonly SavedRule[]): string {
    const { t } = this.#parts;
    const name = destination === 'user' ? t('the user settings') : path.basename(file);
    if (all.length > MOST_NAMED) {
      return unsaved
        ? t(
            'Added {1} rules to {0}, which has unsaved changes. Save it to keep them.',
            name,
            all.length,
          )
        : t('Saved {1} rules to {0}.', name, all.length);
    }
    const rules = toText(all.map(({ rule }) => rule));
    return unsaved
      ? t('Added to {0}, which has unsaved changes: {1}. Save it to keep the rule.', name, rules)
      : t('Saved to {0}: {1}', name, rules);
  }

  async #undo(all: readonly SavedRule[]): Promise<void> {
    const { remove, drop, notify, t } = this.#parts;
    for (const saved of all) {
      if (await remove(saved)) continue;
      void notify(t('{0} is not in the settings any more.', toText([saved.rule])));
    }
    for (const { rule, file } of all) await drop({ rule, file });
  }
}

function toText(rules: readonly WireRule[]): string {
  return toVisible(rules.map(toRuleText).join(', ')).text;
}

export interface UnsavedRuleParts {
  readonly t: Translate;
  /** Shows an error. Resolves with the button that the user chose. */
  showError(message: string, ...buttons: readonly string[]): PromiseLike<string | undefined>;
  copy(text: string): PromiseLike<void>;
}

/** Tells the user that "always" did not save a rule, how long it holds, why, and how to keep it. */
export async function tellUnsaved(
  { t, showError, copy }: UnsavedRuleParts,
  { permission, pattern, action }: WireRule,
  error: unknown,
): Promise<void> {
  const rule = { permission, pattern, action };
  const message = t(
    'Your answer holds until the host of this window ends, but it was not saved: {0}. {1}',
    toRuleText(rule),
    getMessage(error),
  );
  const button = t('Copy Rule');
  if ((await showError(plainNotice(message), button)) === button) await copy(JSON.stringify(rule));
}
