import { useRef } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import type { Attached, AttachedKind } from '../messages/attached.ts';
import { useSurroundings } from '../state/context.ts';
import { afterRemoval } from './chipFocus.ts';

export const CHIP_ICONS: Readonly<Record<AttachedKind, string>> = {
  file: 'file',
  folder: 'folder',
  selection: 'list-selection',
  symbol: 'symbol-class',
  problems: 'warning',
  terminal: 'terminal',
  changes: 'diff',
  image: 'file-media',
};

/** What is attached to the message. Each chip is a button that removes it; so do Delete and Backspace. */
export function Chips({
  attached,
  remove,
  leave,
}: {
  readonly attached: readonly Attached[];
  readonly remove: (id: string) => void;
  /** Puts the focus back into the text. */
  readonly leave: () => void;
}) {
  const { t } = useSurroundings();
  const list = useRef<HTMLUListElement>(null);
  if (attached.length === 0) return null;
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
      {attached.map(({ id, kind, label }, index) => (
        <li key={id}>
          <button
            type="button"
            class="chip"
            aria-label={t('removeAttached', label)}
            title={t('removeAttached', label)}
            onClick={() => removeAt(index)}
            onKeyDown={(event) => onKeyDown(event, index)}
          >
            <Icon name={CHIP_ICONS[kind]} />
            <span dir="auto">{label}</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
