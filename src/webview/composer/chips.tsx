import { useRef } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import type { IconName } from '../controls/icons.ts';
import type { AttachedKind, Chip } from '../messages/attached.ts';
import { useSurroundings } from '../state/context.ts';
import { afterRemoval } from './chipFocus.ts';

export const CHIP_ICONS: Readonly<Record<AttachedKind, IconName>> = {
  file: 'file',
  folder: 'folder',
  selection: 'list-selection',
  symbol: 'symbol-class',
  problems: 'warning',
  terminal: 'terminal',
  changes: 'diff',
  image: 'file-media',
  resource: 'server',
  prompt: 'comment',
};

function toIcon(kind: AttachedKind, reading?: true): IconName {
  return reading ? 'loading' : CHIP_ICONS[kind];
}

/** Scrolls a new chip into the list's view. */
const reveal = (chip: HTMLElement | null) => chip?.scrollIntoView({ block: 'nearest' });

/** What is attached to the message. Each chip is a button that removes it; so do Delete and Backspace. */
export function Chips({
  attached,
  remove,
  leave,
}: {
  readonly attached: readonly Chip[];
  readonly remove: (id: string) => void;
  /** Puts the focus back into the text. */
  readonly leave: () => void;
}) {
  const { t } = useSurroundings();
  const list = useRef<HTMLUListElement>(null);
  if (attached.length === 0) return null;
  const toName = (label: string, reading?: true, fault?: string) => {
    if (fault !== undefined) return t('removeFailed', label, fault);
    return t(reading ? 'removeReading' : 'removeAttached', label);
  };
  const focus = (index: number | undefined) => {
    const chips = list.current?.querySelectorAll('button');
    const chip = index === undefined ? undefined : chips?.[index];
    if (chip === undefined) leave();
    else chip.focus();
  };
  const removeAt = (index: number) => {
    const chip = attached[index];
    // Before the chip goes, and the focus with it.
    focus(afterRemoval(index, attached.length));
    if (chip !== undefined) remove(chip.id);
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) focus(Math.max(0, index + step));
    else if (event.key === 'Delete' || event.key === 'Backspace') removeAt(index);
    else return;
    event.preventDefault();
  };
  return (
    <ul class="chips" ref={list} aria-label={t('attached')}>
      {attached.map(({ id, request, kind, label, reading, fault }, index) => (
        <li key={request ?? id} ref={reveal}>
          <button
            type="button"
            class={fault === undefined ? 'chip' : 'chip failed'}
            aria-busy={reading === true}
            aria-label={toName(label, reading, fault)}
            title={toName(label, reading, fault)}
            onClick={() => removeAt(index)}
            onKeyDown={(event) => onKeyDown(event, index)}
          >
            <Icon
              name={fault === undefined ? toIcon(kind, reading) : 'error'}
              spin={reading === true}
            />
            <span dir="auto">{label}</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
