import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import type { FoundContext } from '../messages/attached.ts';
import type { AgentCommand } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { CHIP_ICONS } from './chips.tsx';
import type { DraftMessage } from './draft.ts';
import { readDetail } from './draft.ts';
import {
  exactFirst,
  findTrigger,
  pressInList,
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
  send: () => void,
): Suggestions {
  const { host } = useSurroundings();
  const [trigger, setTrigger] = useState<Trigger | undefined>(undefined);
  const [chosen, setIndex] = useState(0);
  const setCaret = useCaret(field);
  const { found, pending } = useFound(trigger, focus);
  const entries = toEntries(trigger, found, commands);
  // The list may have become shorter.
  const index = Math.max(0, Math.min(chosen, entries.length - 1));
  const close = () => {
    wanted.current = undefined;
    setTrigger(undefined);
  };
  const take = (at: number) => {
    const entry = entries[at];
    if (entry === undefined || trigger === undefined) return;
    const command = trigger.kind === '/' && entry.kind === undefined ? `/${entry.id}` : '';
    const replaced = replaceWord(draft.text, trigger, command);
    draft.setText(replaced.text);
    setCaret(replaced.caret);
    const { kind, id, label } = entry;
    if (kind === 'prompt') host.post({ type: 'takePrompt', id });
    else if (kind !== undefined)
      host.post({ type: 'attach', id, request: draft.read({ kind, label }) });
    close();
    field.current?.focus();
  };
  const wanted = useWanted(pending, entries.length, take, send);
  return {
    ...{ open: trigger !== undefined && entries.length > 0, entries, index, take, close },
    update(text, at) {
      const next = findTrigger(text, at);
      if (next?.kind === trigger?.kind && next?.query === trigger?.query) return;
      wanted.current = undefined;
      setIndex(0);
      setTrigger(next);
    },
    press(event) {
      const action = pressInList(event, { trigger, pending, index, entries });
      if (action?.type === 'wait') wanted.current = event.key;
      if (action?.type === 'go') setIndex(action.index);
      if (action?.type === 'close' || action?.type === 'complete') close();
      if (action?.type === 'take') take(index);
      return action !== undefined && action.type !== 'complete';
    },
  };
}

/** Puts the caret somewhere as soon as the text is drawn. */
function useCaret(field: { readonly current: HTMLTextAreaElement | null }): (at: number) => void {
  const [caret, setCaret] = useState<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (caret === undefined) return;
    field.current?.setSelectionRange(caret, caret);
    setCaret(undefined);
  }, [caret]);
  return setCaret;
}

/** The key that waits for the list of its query, and what it does then. */
function useWanted(
  pending: boolean,
  found: number,
  take: (index: number) => void,
  send: () => void,
): { current: string | undefined } {
  const { options } = useSurroundings();
  const wanted = useRef<string | undefined>(undefined);
  useEffect(() => {
    const key = wanted.current;
    if (pending || key === undefined) return;
    wanted.current = undefined;
    if (found > 0) take(0);
    else if (key === 'Enter' && options.sendKey === 'enter') send();
  }, [pending]);
  return wanted;
}

/**
 * What the extension finds for the query. The list before stays until the next one is there; it is
 * `pending` until then.
 */
function useFound(
  trigger: Trigger | undefined,
  focus: EventTarget,
): { readonly found: readonly FoundContext[]; readonly pending: boolean } {
  const { host } = useSurroundings();
  const [{ of, found }, setFound] = useState<Found>(NOTHING_FOUND);
  const request = useRef(0);
  const { kind, query } = trigger ?? {};
  const key = query === undefined ? undefined : `${kind}${query}`;
  useEffect(() => {
    if (query === undefined) {
      setFound(NOTHING_FOUND);
      return undefined;
    }
    request.current += 1;
    const commands = kind === '/' && { commands: true as const };
    host.post({ type: 'lookUp', query, request: request.current, ...commands });
    const onFound = (event: Event) => {
      const detail = readDetail(event, 'found');
      if (detail.request !== request.current) return;
      setFound({ of: key, found: detail.entries ?? [] });
    };
    focus.addEventListener('found', onFound);
    return () => focus.removeEventListener('found', onFound);
  }, [key, focus]);
  // Commands are known; prompts of servers join them when they are found.
  if (kind === '/') return { found: of === key ? found : [], pending: false };
  return { found, pending: key !== undefined && of !== key };
}

interface Found {
  /** The trigger and its query. */
  readonly of: string | undefined;
  readonly found: readonly FoundContext[];
}

const NOTHING_FOUND: Found = { of: undefined, found: [] };

function toEntries(
  trigger: Trigger | undefined,
  found: readonly FoundContext[],
  commands: readonly AgentCommand[],
): readonly SuggestedEntry[] {
  if (trigger === undefined) return [];
  if (trigger.kind === '@') return found.map(toEntry);
  return [...exactFirst(commands, trigger.query).map(toCommandEntry), ...found.map(toEntry)];
}

function toEntry({ id, kind, label, description }: FoundContext): SuggestedEntry {
  return { id, kind, icon: CHIP_ICONS[kind], label, description };
}

function toCommandEntry({ name, description, hint }: AgentCommand): SuggestedEntry {
  const label = hint === undefined ? `/${name}` : `/${name} ${hint}`;
  return { id: name, icon: 'terminal-cmd', label, description };
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
