import type { Clock } from '../../../base/clock.ts';
import { withLockFile } from '../../../base/disk/lockFile.ts';
import { getMessage } from '../../../base/faults.ts';
import {
  addRules,
  hasMoreThanRules,
  isSame,
  readRules,
  removeRule,
  type SettingsRule,
} from '../../../settings/ruleStore.ts';
import { Refusal } from '../../host/refusal.ts';

/** The user's settings, as VS Code gives access to them. Its API doesn't tell where they are. */
export interface UserSettings {
  readonly clock: Clock;
  /** The value of the user's rules. */
  rules(): unknown;
  /** Replaces the user's rules. */
  update(rules: readonly unknown[]): PromiseLike<void>;
  /** Reads a file. Resolves with undefined if there is none. */
  read(file: string): Promise<string | undefined>;
  /** The settings of the other profiles of the user whose default settings are in `file`. */
  readProfiles(file: string): Promise<readonly string[]>;
  /** Opens the settings in an editor and changes them there, unsaved. False if nothing changes. */
  edit(change: (text: string) => string | undefined): PromiseLike<boolean>;
}

/** Selects the rules to add to those that the settings have. */
export type Select = (known: readonly unknown[]) => readonly SettingsRule[];

/** The rules that were added. `unsaved`: to an editor that the user has to save. */
export interface AddedRules {
  readonly added: readonly SettingsRule[];
  readonly unsaved: boolean;
}

/** How long VS Code is waited for. Without a limit, a call whose rule is being saved would wait too. */
const ANSWER_MS = 30_000;

/** How often, and in which milliseconds, the editor is looked at until it has read its settings again. */
const READ_TRIES = 20;
const READ_MS = 100;

/**
 * Adds rules to the user's settings through the configuration API. If that would lose something, or fails,
 * the settings are opened in an editor with the rules inserted, for the user to save.
 */
export function addUserRules(
  settings: UserSettings,
  select: Select,
  file: string,
): Promise<AddedRules> {
  return withLockFile(file, async () => {
    let added: readonly SettingsRule[] = [];
    const written = await updateRules(settings, file, (rules) => {
      added = select(rules);
      return [...rules, ...added];
    });
    if (written) return { added, unsaved: false };
    await editText(settings, file, (text) => {
      added = select(readRules(text));
      return addRules(text, added);
    });
    return { added, unsaved: true };
  });
}

/** Removes a rule again, also if the settings changed since. False if it is gone. */
export function removeUserRule(
  settings: UserSettings,
  { rule, file, unsaved }: { rule: SettingsRule; file: string; unsaved: boolean },
): Promise<boolean> {
  const findNewest = (rules: readonly unknown[]) =>
    rules.findLastIndex((each) => isSame(each, rule));
  return withLockFile(file, async () => {
    if (!unsaved && findNewest(getRules(settings)) >= 0) {
      const remove = (rules: readonly unknown[]) => rules.toSpliced(findNewest(rules), 1);
      if (await updateRules(settings, file, remove)) return true;
    }
    return editText(settings, file, (text) => removeRule(text, rule));
  });
}

/**
 * Puts a removed rule back: where it was, with what was written beside it, or at the end if the rules have changed
 * since. Does nothing if it is there again.
 */
export type PutBack = () => Promise<unknown>;

/** Removes a rule that the user chose in the list. Undefined if it is gone. */
export async function removeListedUserRule(
  settings: UserSettings,
  saved: { rule: SettingsRule; file: string; unsaved: boolean },
): Promise<PutBack | undefined> {
  const before = getRules(settings);
  if (!(await removeUserRule(settings, saved))) return undefined;
  const after = JSON.stringify(getRules(settings));
  const { rule, file } = saved;
  const isThere = (rules: readonly unknown[]) => rules.some((each) => isSame(each, rule));
  const putBack = (rules: readonly unknown[]) => {
    if (JSON.stringify(rules) === after) return before;
    return isThere(rules) ? rules : [...rules, rule];
  };
  return () =>
    withLockFile(file, async () => {
      if (await updateRules(settings, file, putBack)) return;
      await editText(settings, file, (text) =>
        isThere(readRules(text)) ? undefined : addRules(text, [rule]),
      );
    });
}

/** Whether a document has the user's settings: of any profile, in a browser or on this machine. */
export function isUserSettings({ scheme, path }: { scheme: string; path: string }): boolean {
  if (!path.endsWith('/settings.json')) return false;
  return scheme === 'vscode-userdata' || /\/User\/(?:profiles\/[^/]+\/)?[^/]+$/.test(path);
}

/** Rejects if VS Code doesn't answer. */
export async function answered<T>(clock: Clock, work: PromiseLike<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const message = `VS Code did not answer for ${ANSWER_MS / 1000} seconds when it was asked to ${what}.`;
  const timer = clock.after(ANSWER_MS, () => late.reject(new Refusal(message)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    timer.dispose();
  }
}

function getRules(settings: UserSettings): readonly unknown[] {
  const rules = settings.rules();
  return Array.isArray(rules) ? rules : [];
}

/** Updates the user's rules through the configuration API. False if that would lose something, or fails. */
async function updateRules(
  settings: UserSettings,
  file: string,
  change: (rules: readonly unknown[]) => readonly unknown[],
): Promise<boolean> {
  const value = settings.rules();
  // What is no list may have been meant as a deny.
  if (value !== undefined && value !== null && !Array.isArray(value)) return false;
  if (!(await hasOnlyRules(settings, file))) return false;
  const next = change(getRules(settings));
  try {
    await answered(settings.clock, settings.update(next), 'write the user settings');
    return true;
  } catch (error) {
    // The update may still be carried out.
    if (error instanceof Refusal) throw error;
    // The settings have unsaved changes or an error: they are edited as text instead.
    return false;
  }
}

/** Whether nothing else is in the setting. What can't be read, as on another machine, is not known. */
async function hasOnlyRules(settings: UserSettings, file: string): Promise<boolean> {
  const text = await settings.read(file).catch(() => undefined);
  if (text === undefined) return getRules(settings).length === 0;
  // Another window may just have written the file, and an update would undo that.
  if (await awaitRules(settings, readRules(text))) return !hasMoreThanRules(text);
  const profiles = await settings.readProfiles(file).catch(() => []);
  const rules = JSON.stringify(getRules(settings));
  const own = profiles.filter((each) => JSON.stringify(readRules(each)) === rules);
  return own.length > 0 && !own.some(hasMoreThanRules);
}

/** Waits until the editor has these rules. False if it doesn't: another profile has a file of its own. */
async function awaitRules(settings: UserSettings, rules: readonly unknown[]): Promise<boolean> {
  const written = JSON.stringify(rules);
  for (let tries = 0; tries < READ_TRIES; tries += 1) {
    if (JSON.stringify(getRules(settings)) === written) return true;
    await new Promise<void>((resolve) => settings.clock.after(READ_MS, resolve));
  }
  return false;
}

async function editText(
  settings: UserSettings,
  file: string,
  change: (text: string) => string | undefined,
): Promise<boolean> {
  let refused: unknown;
  const changeOnce = (text: string) => {
    try {
      return change(text);
    } catch (error) {
      refused = error;
      throw error;
    }
  };
  try {
    return await answered(settings.clock, settings.edit(changeOnce), 'open the user settings');
  } catch (error) {
    // The text itself was the reason, and says so.
    if (refused !== undefined || error instanceof Refusal) throw error;
    throw new Refusal(
      `The user settings can't be opened: ${getMessage(error)} Mend ${file}, or add the rule yourself.`,
    );
  }
}
