import type { ClearQuery, ClearResult } from '../../acp/gatehouse/sessionList.ts';
import { MB } from '../../base/units.ts';
import type { Translate } from '../text/translate.ts';

export interface ClearParts {
  readonly t: Translate;
  /** The open folders. */
  folders(): readonly string[];
  clear(query: ClearQuery): Promise<ClearResult>;
  /** Asks in a dialog. Resolves to the chosen button. */
  ask(
    message: string,
    options: { readonly modal: true; readonly detail: string },
    ...buttons: readonly string[]
  ): Thenable<string | undefined>;
  tell(message: string): unknown;
  /** Shows that something takes its time. */
  progress<Result>(title: string, work: () => Promise<Result>): Thenable<Result>;
  /** Called with each deleted session that was open in this window. */
  deleted(id: string): void;
  changed(): void;
}

/** Deletes all sessions of the open folders or of all folders, after the user has confirmed what goes and what stays. */
export async function clearAllSessions(parts: ClearParts): Promise<void> {
  const { t, clear, ask, tell, folders } = parts;
  const cwds = folders();
  const [here, all] = [await clear({ cwds, preview: true }), await clear({ preview: true })];
  if (all.sessions === 0) {
    tell(t('There is no session to delete. {0}', describeKept(all, t)).trim());
    return;
  }
  const deleteHere = t('Delete {0} of This Workspace', here.sessions);
  const deleteAll = t('Delete {0} of All Folders', all.sessions);
  const buttons = [
    ...(here.sessions > 0 ? [deleteHere] : []),
    ...(all.sessions > here.sessions ? [deleteAll] : []),
  ];
  const options = { modal: true, detail: describe(all, t) } as const;
  const answer = await ask(t('Delete all sessions?'), options, ...buttons);
  if (answer !== deleteHere && answer !== deleteAll) return;
  await run(parts, answer === deleteAll ? {} : { cwds });
}

async function run(parts: ClearParts, query: ClearQuery): Promise<void> {
  const { t, clear, progress, tell, deleted, changed } = parts;
  try {
    const cleared = await progress(t('Deleting sessions…'), () => clear(query));
    for (const id of cleared.open) deleted(id);
    tell(`${t('Deleted sessions: {0}.', cleared.sessions)} ${describeKept(cleared, t)}`.trim());
  } finally {
    changed();
  }
}

function describe(all: ClearResult, t: Translate): string {
  return [
    t(
      'Their messages, subagents, outputs, logs of decisions and what Revert could restore are deleted for good, archived sessions too. Export first what you want to keep.',
    ),
    describeKept(all, t),
    t('Files, rules, settings and the costs of the day stay as they are.'),
    t(
      'The history takes {0} MB on disk. New sessions use the space that becomes free.',
      Math.max(1, Math.round(all.bytes / MB)),
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** What stays, if anything does. */
function describeKept({ pinned, waiting }: ClearResult, t: Translate): string {
  return [
    ...(pinned > 0 ? [t('Pinned sessions stay: {0}.', pinned)] : []),
    ...(waiting > 0
      ? [t('Sessions in which a turn runs or something waits for you stay: {0}.', waiting)]
      : []),
  ].join(' ');
}
