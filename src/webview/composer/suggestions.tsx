import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import type { FoundContext } from '../messages/attached.ts';
import type { AgentCommand } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { CHIP_ICONS } from './chips.tsx';
import type { DraftMessage } from './draft.ts';
import { readDetail } from './draft.ts';
import {
  findTrigger,
  listAction,
  replaceWord,
  type SuggestedEntry,
  type Suggestions,
  type Trigger,
} from './trigger.ts';

export const SUGGESTIONS_ID = 'suggestions';

/** Looks up what the word before the caret asks for, and inserts what the user takes. */
export function useSuggestions(
  draft: DraftMessage,
  commands: readonly AgentCommand[],
  field: { readonly current: HTMLTextAreaElement | null },
  focus: EventTarget,
): Suggestions {
  const { host } = useSurroundings();
  const [trigger, setTrigger] = useState<Trigger | undefined>(undefined);
  const [index, setIndex] = useState(0);
  const [caret, setCaret] = useState<number | undefined>(undefined);
  const found = useFound(trigger, focus);
  useLayoutEffect(() => {
    if (caret === undefined) return;
    field.current?.setSelectionRange(caret, caret);
    setCaret(undefined);
  }, [caret]);
  const entries =
    trigger === undefined
      ? []
      : trigger.kind === '@'
        ? found.map(toEntry)
        : commands.filter(({ name }) => fits(name, trigger.query)).map(toCommandEntry);
  const close = () => setTrigger(undefined);
  const take = (at: number) => {
    const entry = entries[at];
    if (entry === undefined || trigger === undefined) return;
    const command = trigger.kind === '/' ? `/${entry.id}` : '';
    const replaced = replaceWord(draft.text, trigger, command);
    draft.setText(replaced.text);
    setCaret(replaced.caret);
    if (trigger.kind === '@') host.post({ type: 'attach', id: entry.id });
    close();
    field.current?.focus();
  };
  return {
    ...{ open: trigger !== undefined && entries.length > 0, entries, index, take, close },
    update(text, at) {
      const next = findTrigger(text, at);
      if (next?.kind === trigger?.kind && next?.query === trigger?.query) return;
      setIndex(0);
      setTrigger(next);
    },
    press(event) {
      if (trigger === undefined || entries.length === 0) return false;
      const action = listAction(event, index, entries.length);
      if (action?.type === 'go') setIndex(action.index);
      if (action?.type === 'close') close();
      if (action?.type === 'take') take(index);
      return action !== undefined;
    },
  };
}

/** What the extension finds for the query. The list before stays until the next one is there. */
function useFound(trigger: Trigger | undefined, focus: EventTarget): readonly FoundContext[] {
  const { host } = useSurroundings();
  const [found, setFound] = useState<readonly FoundContext[]>([]);
  const request = useRef(0);
  const query = trigger?.kind === '@' ? trigger.query : undefined;
  useEffect(() => {
    if (query === undefined) {
      setFound([]);
      return undefined;
    }
    request.current += 1;
    host.post({ type: 'lookUp', query, request: request.current });
    const onFound = (event: Event) => {
      const detail = readDetail(event, 'found');
      if (detail.request === request.current) setFound(detail.entries ?? []);
    };
    focus.addEventListener('found', onFound);
    return () => focus.removeEventListener('found', onFound);
  }, [query, focus]);
  return found;
}

function toEntry({ id, kind, label, description }: FoundContext): SuggestedEntry {
  return { id, icon: CHIP_ICONS[kind], label, description };
}

function toCommandEntry({ name, description, hint }: AgentCommand): SuggestedEntry {
  const label = hint === undefined ? `/${name}` : `/${name} ${hint}`;
  return { id: name, icon: 'terminal-cmd', label, description };
}

function fits(name: string, query: string): boolean {
  return name.toLowerCase().includes(query.toLowerCase());
}

/** The list above the input. The input keeps the focus and names the active entry. */
export function SuggestionList({ suggestions }: { readonly suggestions: Suggestions }) {
  const { t } = useSurroundings();
  const { open, entries, index, take } = suggestions;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  }, [index]);
  if (!open) return null;
  return (
    <div
      ref={list}
      class="suggestions"
      id={SUGGESTIONS_ID}
      role="listbox"
      aria-label={t('suggestions')}
    >
      {entries.map(({ id, icon, label, description }, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names the active entry.
        // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are the input's.
        <div
          key={id}
          id={`${SUGGESTIONS_ID}-${at}`}
          class="suggestion"
          role="option"
          aria-selected={at === index}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(at)}
        >
          <Icon name={icon} />
          <span dir="auto">{label}</span>
          {description !== undefined && (
            <span class="suggestion-where" dir="auto">
              {description}
            </span>
          )}
        </div>
      ))}
    </div>
  );
}
