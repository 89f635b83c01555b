import { isDeepStrictEqual } from 'node:util';
import type { ConfigurationSnapshot } from '../../acp/gatehouse/configure.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { Acceptances } from './acceptance.ts';
import {
  type ConfigurationProblem,
  type HostConfiguration,
  toConfiguration,
} from './configuration.ts';
import { createEditorFiles } from './editorFiles.ts';
import { readSettingsFiles, settingsStamp } from './settingsFiles.ts';

/** Holds the configuration in effect: the client's snapshot, or the settings files outside VS Code. */
export interface ConfigurationStore {
  /** The configuration of a session with this root. Reread when a file changed. */
  current(cwd: string): HostConfiguration;
  /** Replaces the snapshot. Returns the problems of its rules and settings. */
  configure(snapshot: ConfigurationSnapshot): readonly ConfigurationProblem[];
  /** False when the client promised a snapshot and did not send it in time. */
  ready(): Promise<boolean>;
  /** Drops cached values, because an acceptance changed. */
  refresh(): void;
  /** Applies rules that were sent to the editor until its settings contain them. */
  addMeanwhile(rules: readonly Rule[]): void;
  /** Drops such a rule again. */
  dropMeanwhile(rule: Pick<Rule, 'permission' | 'pattern' | 'action'>): void;
}

/** How long a prompt waits for the first snapshot, in milliseconds. */
const SNAPSHOT_WAIT_MS = 10_000;

interface StoreOptions {
  readonly expectsSnapshot: boolean;
  readonly userFile: string;
  readonly acceptances: Acceptances;
  readonly env: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Called when the problems of the snapshot are others, because an acceptance or a file changed. */
  onProblems?(problems: readonly ConfigurationProblem[]): void;
}

export function createConfigurationStore(options: StoreOptions): ConfigurationStore {
  const { expectsSnapshot, userFile, acceptances, env, clock = systemClock } = options;
  const files = createSettingsReader({ userFile, acceptances, env });
  const snapshot = createSnapshotReader(options);
  const arrived = Promise.withResolvers<true>();
  const meanwhile = createMeanwhile();

  return {
    current: (cwd) => meanwhile.extend(snapshot.current() ?? files.read(cwd)),
    configure(value) {
      const next = snapshot.receive(value);
      meanwhile.settle(next.rules);
      arrived.resolve(true);
      return next.problems;
    },
    ready() {
      if (!expectsSnapshot || snapshot.received) return Promise.resolve(true);
      return new Promise((resolve) => {
        const timer = clock.after(SNAPSHOT_WAIT_MS, () => resolve(false));
        arrived.promise.then(() => {
          timer.dispose();
          resolve(true);
        });
      });
    },
    refresh() {
      files.invalidate();
      snapshot.refresh();
    },
    addMeanwhile: meanwhile.add,
    dropMeanwhile: meanwhile.drop,
  };
}

/** The configuration of the client's snapshot, computed again when an acceptance or one of its files changed. */
function createSnapshotReader({
  acceptances,
  env,
  onProblems,
}: Pick<StoreOptions, 'acceptances' | 'env' | 'onProblems'>) {
  let received: ConfigurationSnapshot | undefined;
  let snapshot: HostConfiguration | undefined;
  let known = '';
  let looked = false;
  const files = createEditorFiles();
  const stamp = () => `${acceptances.stamp()},${files.stamp()}`;

  function take(value: ConfigurationSnapshot): HostConfiguration {
    const sources = files.toSources(value);
    known = stamp();
    return toConfiguration(sources, acceptances, env);
  }

  function refresh(): void {
    if (received === undefined) return;
    const before = snapshot?.problems;
    snapshot = take(received);
    const { problems } = snapshot;
    if (!isDeepStrictEqual(before, problems)) onProblems?.(problems);
  }

  return {
    get received() {
      return received !== undefined;
    },
    /** Another window may have revoked an acceptance, or a file may be damaged. Checked at most once per microtask. */
    current(): HostConfiguration | undefined {
      if (snapshot === undefined || looked) return snapshot;
      looked = true;
      queueMicrotask(() => {
        looked = false;
      });
      if (stamp() !== known) refresh();
      return snapshot;
    },
    receive(value: ConfigurationSnapshot): HostConfiguration {
      const next = take(value);
      received = value;
      snapshot = next;
      return next;
    },
    refresh,
  };
}

/**
 * Reads the settings files of each root, again when one changed. Files are checked at most once per
 * microtask; our own writes call `refresh`.
 */
function createSettingsReader(options: {
  readonly userFile: string;
  readonly acceptances: Acceptances;
  readonly env: NodeJS.ProcessEnv;
}) {
  const { userFile, acceptances, env } = options;
  const known = new Map<string, { readonly stamp: string; readonly value: HostConfiguration }>();
  const looked = new Map<string, HostConfiguration>();
  function lookAt(cwd: string): HostConfiguration {
    const stamp = `${settingsStamp(userFile, cwd)},${acceptances.stamp()}`;
    const last = known.get(cwd);
    if (last?.stamp === stamp) return last.value;
    const value = toConfiguration(readSettingsFiles(userFile, cwd), acceptances, env);
    known.set(cwd, { stamp, value });
    return value;
  }
  return {
    read(cwd: string): HostConfiguration {
      const value = looked.get(cwd) ?? lookAt(cwd);
      if (looked.size === 0) queueMicrotask(() => looked.clear());
      looked.set(cwd, value);
      return value;
    },
    invalidate() {
      looked.clear();
      known.clear();
    },
  };
}

/** Rules that apply until the editor's settings contain them. */
function createMeanwhile() {
  let rules: readonly Rule[] = [];
  // One object per base, because callers cache by the identity of a configuration.
  let extended = new WeakMap<HostConfiguration, HostConfiguration>();
  function set(next: readonly Rule[]): void {
    rules = next;
    extended = new WeakMap();
  }
  return {
    extend(base: HostConfiguration): HostConfiguration {
      if (rules.length === 0) return base;
      const known = extended.get(base) ?? { ...base, rules: [...base.rules, ...rules] };
      extended.set(base, known);
      return known;
    },
    add: (more: readonly Rule[]) => set([...rules, ...more]),
    drop: (rule: StoredRule) => set(rules.filter((each) => !isSame(each, rule))),
    /** Drops the rules that the settings now contain. */
    settle: (there: readonly Rule[]) =>
      set(rules.filter((rule) => !there.some((each) => isSame(each, rule)))),
  };
}

type StoredRule = Pick<Rule, 'permission' | 'pattern' | 'action'>;

function isSame(a: StoredRule, b: StoredRule): boolean {
  return a.permission === b.permission && a.pattern === b.pattern && a.action === b.action;
}
