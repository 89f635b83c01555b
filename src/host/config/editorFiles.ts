import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type {
  ConfigurationSnapshot,
  ConfiguredOrigin,
  SettingsFile,
} from '../../acp/gatehouse/configure.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { toRecord } from '../../base/json.ts';
import { HOST_SETTINGS } from '../../base/settings.ts';
import type { Sources, WrittenRule } from './configuration.ts';
import { readStamp } from './fileStamp.ts';
import { lookUp, type RawSettings } from './settings.ts';
import { parseSettingsFile, type SettingsFault } from './settingsFault.ts';
import { toSources } from './snapshot.ts';

/**
 * Looks at the files that a snapshot comes from. The editor reads past an error in a settings file and says
 * nothing of what it skips, so a deny may be missing from the snapshot.
 */
export interface EditorFiles {
  /** The sources of a snapshot, with what damaged files may hide. */
  toSources(snapshot: ConfigurationSnapshot): Sources;
  /** Changes when a file of the snapshot received last changes. */
  stamp(): string;
}

interface Damaged {
  readonly file: SettingsFile;
  readonly fault: SettingsFault;
}

/** A snapshot that may lack what the files have. */
interface PartialSnapshot {
  readonly snapshot: ConfigurationSnapshot;
  readonly all: readonly Damaged[];
}

export function createEditorFiles(): EditorFiles {
  let files: readonly SettingsFile[] = [];
  /** The last snapshot whose files were all readable. */
  let whole: ConfigurationSnapshot | undefined;
  let partial: PartialSnapshot | undefined;

  function findDamaged(snapshot: ConfigurationSnapshot): readonly Damaged[] {
    const found = files.flatMap((file) => {
      const { fault } = parseSettingsFile(readRegularText(file.path), toSection(file.path));
      return fault === undefined || isOtherProfile(file, snapshot) ? [] : [{ file, fault }];
    });
    if (found.length > 0) partial = { snapshot, all: found };
    else if (partial !== undefined && hasReadAll(snapshot, partial, whole)) partial = undefined;
    return partial?.all ?? [];
  }

  return {
    toSources(snapshot) {
      files = toFiles(snapshot);
      const damaged = findDamaged(snapshot);
      const sources = toSources(snapshot);
      if (damaged.length === 0) {
        whole = snapshot;
        return sources;
      }
      return {
        ...sources,
        raw: { ...sources.raw, ...keepSettings(sources.raw, damaged, whole) },
        rules: [...sources.rules, ...damaged.flatMap((each) => keepRules(each, snapshot, whole))],
      };
    },
    stamp: () => files.map(({ path: file }) => readStamp(file)).join(),
  };
}

/** Nothing of a workspace that isn't trusted is read. The editor doesn't take its rules either. */
function toFiles({ files, workspace }: ConfigurationSnapshot): readonly SettingsFile[] {
  return files
    .filter(({ layer }) => layer === 'user' || workspace.trusted)
    .flatMap((file) => (file.layer === 'user' ? [file, ...findProfiles(file)] : [file]));
}

/** The editor doesn't say which profile is in use, so the settings of all that may be are looked at. */
function findProfiles(user: SettingsFile): readonly SettingsFile[] {
  const folder = path.join(path.dirname(user.path), 'profiles');
  try {
    return readdirSync(folder)
      .slice(0, MOST_PROFILES)
      .map((name) => ({ ...user, path: path.join(folder, name, 'settings.json') }));
  } catch {
    // Most users have no profiles.
    return [];
  }
}

const MOST_PROFILES = 50;

/** Where a settings file has its settings. */
function toSection(file: string): readonly string[] {
  return file.endsWith('.code-workspace') ? ['settings'] : [];
}

/**
 * Whether the editor has read the files again since they were fixed: the snapshot has what is in them, what it
 * had before they were damaged, or something else than while they were. One that was sent meanwhile, for
 * another reason, still lacks rules.
 */
function hasReadAll(
  snapshot: ConfigurationSnapshot,
  partial: PartialSnapshot,
  whole: ConfigurationSnapshot | undefined,
): boolean {
  const isSettled = (file: SettingsFile) =>
    isRead(file, snapshot) || isOtherProfile(file, snapshot);
  if (partial.all.every(({ file }) => isSettled(file))) return true;
  const rules = snapshot.rules.map(toRuleKey);
  if (whole !== undefined && isDeepStrictEqual(rules, whole.rules.map(toRuleKey))) return true;
  return !isDeepStrictEqual(rules, partial.snapshot.rules.map(toRuleKey));
}

/** Whether the snapshot has the rules that are in the file now, or the editor doesn't use the file. */
function isRead(file: SettingsFile, snapshot: ConfigurationSnapshot): boolean {
  const written = readRuleKeys(file);
  if (written === undefined) return false;
  // Its origin doesn't tell which of the user's files a rule comes from.
  const known = snapshot.rules.filter(({ origin }) => isSameLayer(origin, file)).map(toRuleKey);
  return written.every((rule) => known.includes(rule)) || isUnused(file, known, snapshot);
}

/**
 * The editor takes the user's rules from one file: that of the profile in use, or on a remote machine, the
 * machine's own. Another one that has exactly the known rules is the one in use.
 */
function isUnused(
  file: SettingsFile,
  known: readonly string[],
  snapshot: ConfigurationSnapshot,
): boolean {
  const named = snapshot.files.map((each) => each.path);
  const at = named.indexOf(file.path);
  if (at >= 0 && known.length === 0) return false;
  return toFiles(snapshot).some((other) => {
    if (other.path === file.path || !isSameLayer(other, file)) return false;
    // The machine's settings come after those of the user, and replace them.
    const isBefore = at >= 0 && named.slice(0, at).includes(other.path);
    return !isBefore && isDeepStrictEqual(readRuleKeys(other), known);
  });
}

/**
 * Whether a file is that of a profile which is surely not in use: as far as it can be read, it lacks a rule that the
 * editor has of the user and has one that the editor lacks, and another file has exactly the rules that the editor
 * has. The editor may read further than we do. The file of the
 * default profile always counts, since it has the settings of the application too.
 */
function isOtherProfile(file: SettingsFile, snapshot: ConfigurationSnapshot): boolean {
  if (file.layer !== 'user' || snapshot.files.some((each) => each.path === file.path)) return false;
  const known = snapshot.rules.filter(({ origin }) => isSameLayer(origin, file)).map(toRuleKey);
  const own = readPartly(file).rules;
  if (known.every((rule) => own.includes(rule))) return false;
  if (own.every((rule) => known.includes(rule))) return false;
  return toFiles(snapshot).some(
    (other) =>
      other.path !== file.path &&
      isSameLayer(other, file) &&
      isDeepStrictEqual(readRuleKeys(other), known),
  );
}

/** The rules that are in a file now; undefined if it can't be read completely. */
function readRuleKeys(file: SettingsFile): readonly string[] | undefined {
  const { rules, isWhole } = readPartly(file);
  return isWhole ? rules : undefined;
}

/** The rules that are in a file now, as far as it can be read. */
function readPartly(file: SettingsFile): {
  readonly rules: readonly string[];
  readonly isWhole: boolean;
} {
  const { values, fault } = parseSettingsFile(readRegularText(file.path), toSection(file.path));
  const written = lookUp(values, 'permissions') ?? [];
  const isList = Array.isArray(written);
  return { rules: isList ? written.map(toRuleKey) : [], isWhole: fault === undefined && isList };
}

function isSameLayer(
  one: Pick<ConfiguredOrigin, 'layer' | 'folder'>,
  other: SettingsFile,
): boolean {
  return one.layer === other.layer && one.folder === other.folder;
}

function toRuleKey(rule: unknown): string {
  const { permission, pattern, action } = toRecord(rule);
  return JSON.stringify([permission, pattern, action]);
}

/**
 * What a damaged file adds to the rules that the editor still reads in it: a rule that can't be read, and
 * those that asked or denied when the file was last readable.
 */
function keepRules(
  { file, fault }: Damaged,
  snapshot: ConfigurationSnapshot,
  whole: ConfigurationSnapshot | undefined,
): readonly WrittenRule[] {
  const isOwn = ({ origin }: ConfigurationSnapshot['rules'][number]) => isSameLayer(origin, file);
  const read = new Set(snapshot.rules.filter(isOwn).map(toRuleKey));
  const kept = (whole?.rules ?? []).filter(
    (rule) => isOwn(rule) && rule.action !== 'allow' && !read.has(toRuleKey(rule)),
  );
  const { layer, path: name, folder } = file;
  const hidden = { layer, file: name, ...(folder !== undefined && { folder }), index: HIDDEN };
  return [
    ...kept.map(({ origin, ...entry }) => ({ entry, origin })),
    { entry: {}, origin: hidden, fault },
  ];
}

/** The position of rules that can't be read: behind all others of the file. */
const HIDDEN = Number.MAX_SAFE_INTEGER;

/**
 * Settings that are gone keep their last values, since most of them restrict. A sandbox that the user may
 * require stays required.
 */
function keepSettings(
  raw: RawSettings,
  damaged: readonly Damaged[],
  whole: ConfigurationSnapshot | undefined,
): RawSettings {
  if (whole !== undefined) {
    return Object.fromEntries(
      Object.entries(whole.settings).filter(([key]) => isDefault(key, raw[key])),
    );
  }
  const mayRequire = damaged.some(({ file }) => file.layer === 'user');
  return mayRequire && isDefault('sandbox.mode', raw['sandbox.mode'])
    ? { 'sandbox.mode': 'require' }
    : {};
}

function isDefault(key: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const known: Readonly<Record<string, { readonly default: unknown }>> = HOST_SETTINGS;
  return isDeepStrictEqual(known[key]?.default, value);
}
