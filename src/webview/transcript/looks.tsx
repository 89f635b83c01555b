import { useId, useMemo } from 'preact/hooks';
import { ToolCard } from '../cards/toolCard.tsx';
import { Icon } from '../controls/icon.tsx';
import type { ToolItem } from '../messages/chatState.ts';
import { useOpened, useSurroundings } from '../state/context.ts';
import { countLooks } from './rows.ts';

/** Calls that only looked, such as "Read 7 files, searched twice", and their cards when opened. */
export function Looks({ id, items }: { readonly id: string; readonly items: readonly ToolItem[] }) {
  const { t, host } = useSurroundings();
  // A card that the reader opened stays in view when it folds.
  const reads = useMemo(() => {
    const { opened } = host.left();
    return items.some((item) => opened[item.id] === true);
  }, [items.length]);
  const [open, setOpen] = useOpened(id, reads);
  const heading = useId();
  const runs = items.some(({ status }) => status === 'in_progress');
  return (
    <article class="item looks" data-kind="looks" tabIndex={-1} aria-labelledby={heading}>
      <h3 class="looks-title" id={heading}>
        <button
          type="button"
          class="looks-toggle"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <Icon name={runs ? 'loading' : 'search'} spin={runs} />
          <span>{describe(items, t)}</span>
        </button>
      </h3>
      {open && items.map((item) => <ToolCard key={item.id} item={item} />)}
    </article>
  );
}

function describe(items: readonly ToolItem[], t: ReturnType<typeof useSurroundings>['t']): string {
  const { reads, searches } = countLooks(items);
  const read = reads === 1 ? t('readOne') : t('readMany', reads);
  if (searches === 0) return read;
  if (reads === 0) return searches === 1 ? t('searchedOnce') : t('searchedMany', searches);
  return searches === 1 ? t('andSearchedOnce', read) : t('andSearchedMany', read, searches);
}
