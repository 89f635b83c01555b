import { Icon } from '../controls/icon.tsx';
import type { PlanEntry } from '../messages/chatState.ts';
import { useOpened, useSurroundings } from '../state/context.ts';
import { planProgress } from './format.ts';

const ICONS = {
  pending: 'circle-large-outline',
  in_progress: 'circle-filled',
  completed: 'pass-filled',
} as const;

/** The agent's plan, one line until it is opened. It stays visible after the turn. */
export function Plan({ entries }: { readonly entries: readonly PlanEntry[] }) {
  const { t } = useSurroundings();
  const [open, setOpen] = useOpened('plan', false);
  const current = entries.find(({ status }) => status === 'in_progress');
  if (entries.length === 0) return null;
  const label = {
    pending: t('statusPending'),
    in_progress: t('statusRunning'),
    completed: t('statusCompleted'),
  };
  return (
    <section class="plan" aria-label={t('plan')}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h2 class="plan-title">{t('plan')}</h2> <span class="dim">{planProgress(entries)}</span>
          {!open && current !== undefined && <span class="dim"> · {current.content}</span>}
        </summary>
        <ul>
          {entries.map((entry, index) => (
            <li key={`${index}-${entry.content}`} class={`plan-${entry.status}`}>
              <Icon name={ICONS[entry.status]} />
              <span class="hidden">{label[entry.status]}: </span>
              <span>{entry.content}</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
