import { useEffect, useId, useState } from 'preact/hooks';
import { Button, Icon } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import { Markdown, Plain } from '../markdown/document.tsx';
import type {
  CompactionItem,
  ErrorItem,
  NextModel,
  NoteItem,
  RetryState,
} from '../messages/chatState.ts';
import type { UserAction } from '../messages/messages.ts';
import type { StringKey } from '../messages/stringKeys.ts';
import { useOpened, useSurroundings } from '../state/context.ts';
import { type ErrorAction, toErrorActions, toSeconds, toWhy } from './format.ts';

/** An informational line from Gatehouse. */
export function Note({ item }: { readonly item: NoteItem }) {
  const { t, host } = useSurroundings();
  const { command } = item;
  return (
    <article class="item note" data-kind="note" tabIndex={-1} aria-label={item.text}>
      <Icon name="info" /> {item.text}
      {command !== undefined && (
        <div class="actions">
          <Button onClick={() => host.post({ type: 'run', command })}>{t(LABELS[command])}</Button>
        </div>
      )}
    </article>
  );
}

/** Where a compaction is; it opens to the summary that the model goes on from. */
export function CompactionCard({ item }: { readonly item: CompactionItem }) {
  const { t } = useSurroundings();
  const heading = useId();
  const [open, setOpen] = useOpened(item.id, item.status === 'failed');
  const words = (
    <h3 id={heading}>
      <Icon name={item.status === 'failed' ? 'warning' : 'fold'} /> {toCompactionTitle(item, t)}
    </h3>
  );
  return (
    <article
      class="item compaction"
      data-kind="compaction"
      data-status={item.status}
      tabIndex={-1}
      aria-labelledby={heading}
    >
      {item.text === '' ? (
        words
      ) : (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{words}</summary>
          {open && <Summary item={item} />}
        </details>
      )}
    </article>
  );
}

/** The model wrote it, unless it says why there is none. */
function Summary({ item }: { readonly item: CompactionItem }) {
  if (item.status === 'failed') return <Plain text={item.text} />;
  return <Markdown of={item} text={item.text} done={item.status !== 'in_progress'} />;
}

function toCompactionTitle(
  { status, messages, outputs }: CompactionItem,
  t: ReturnType<typeof useSurroundings>['t'],
): string {
  if (status === 'in_progress') return t('compacting');
  if (status !== 'completed') return t(status === 'failed' ? 'compactFailed' : 'compactCancelled');
  if (messages !== undefined) return t('compactedMessages', messages);
  return outputs === undefined ? t('compacted') : t('compactedOutputs', outputs);
}

const LABELS: Readonly<Record<ErrorAction, StringKey>> = {
  retry: 'retry',
  continue: 'continue',
  newSession: 'newSession',
  setModel: 'setModel',
  setApiKey: 'setApiKey',
  chooseModel: 'chooseModel',
  openLimits: 'openLimits',
  showLog: 'showLog',
  restartHost: 'restartHost',
  manageTrust: 'manageTrust',
  reviewRules: 'reviewRules',
  openSettings: 'openSettings',
  reviewChanges: 'reviewChanges',
  keepAllChanges: 'keepAll',
  undoAllChanges: 'undoAll',
  undoRewind: 'undoRewind',
};

function toPost(action: ErrorAction): UserAction {
  // *Continue* is the retry of a turn that broke off.
  if (action === 'retry' || action === 'continue') return { type: 'retry' };
  return { type: 'run', command: action };
}

/** An error: what failed, what was kept, and which actions are available. */
export function ErrorCard({ item }: { readonly item: ErrorItem }) {
  const { t, host } = useSurroundings();
  const heading = useId();
  return (
    <article class="item error" data-kind="error" tabIndex={-1} aria-labelledby={heading}>
      <div role="alert">
        <h3 id={heading}>
          <Icon name="error" /> {t('error')}
        </h3>
        <p>{item.text}</p>
        {item.detail !== undefined && <Scrolled class="output">{item.detail}</Scrolled>}
        <div class="actions">
          {item.next !== undefined && <NextModelButton next={item.next} />}
          {toErrorActions(item).map((action, index) => (
            <Button
              key={action}
              primary={index === 0 && item.next === undefined}
              onClick={() => host.post(toPost(action))}
            >
              {t(LABELS[action])}
            </Button>
          ))}
        </div>
      </div>
    </article>
  );
}

function NextModelButton({ next: { ref, name } }: { readonly next: NextModel }) {
  const { t, host } = useSurroundings();
  return (
    <Button primary={true} onClick={() => host.post({ type: 'useNext', ref })}>
      {t('useNext', name)}
    </Button>
  );
}

/** Milliseconds between two looks at the clock. There is no timer without a retry. */
const TICK = 500;

/** Says that a request to the model failed, which attempt comes next, and when. */
export function RetryLine({ retry }: { readonly retry: RetryState | null | undefined }) {
  if (retry == null) return null;
  return <Counting key={retry.at} retry={retry} />;
}

function Counting({ retry: { kind, attempt, maxAttempts, at, reason } }: { retry: RetryState }) {
  const { t, host } = useSurroundings();
  const seconds = useSeconds(at);
  const why = t(toWhy(kind));
  const next = t('retryAttempt', attempt + 1, maxAttempts);
  return (
    <section class="retry" aria-label={why}>
      <span class="retry-words" title={reason}>
        <Icon name="history" /> <span role="status">{`${why} · ${next}`}</span>
        {seconds > 0 && <span aria-live="off"> · {t('retrySeconds', seconds)}</span>}
      </span>
      {seconds > 0 && (
        <Button onClick={() => host.post({ type: 'retryNow' })}>{t('retryNow')}</Button>
      )}
    </section>
  );
}

function useSeconds(at: number): number {
  const [left, setLeft] = useState(() => toSeconds(at, Date.now()));
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setInterval(() => setLeft(toSeconds(at, Date.now())), TICK);
    return () => clearInterval(timer);
  }, [at, left === 0]);
  return left;
}
