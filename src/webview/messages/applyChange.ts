import type { ChatItem, ChatState, StateChange } from './chatState.ts';

/** Applies one change. Unchanged items keep their identity, so views don't render them again. */
export function applyChange(state: ChatState, change: StateChange): ChatState {
  switch (change.type) {
    case 'reset':
      return change.state;
    case 'set':
      return { ...state, ...change.values };
    case 'prepend': {
      const known = new Set(state.items.map(({ id }) => id));
      const older = change.items.filter(({ id }) => !known.has(id));
      return { ...state, items: [...older, ...state.items] };
    }
    case 'append':
      return {
        ...state,
        items: replaceItem(state.items, change.id, (item) =>
          'text' in item ? { ...item, text: item.text + change.text } : item,
        ),
      };
    case 'output':
      return {
        ...state,
        items: replaceItem(state.items, change.id, (item) => print(item, change)),
      };
    case 'mark':
      return { ...state, items: replaceItem(state.items, change.id, (item) => mark(item, change)) };
    case 'item': {
      const known = state.items.some((item) => item.id === change.item.id);
      const items = known
        ? replaceItem(state.items, change.item.id, () => change.item)
        : [...state.items, change.item];
      return { ...state, items };
    }
  }
}

function print(item: ChatItem, change: Extract<StateChange, { type: 'output' }>): ChatItem {
  if (item.kind !== 'tool') return item;
  const { drop, keep, text, cut } = change;
  return { ...item, output: item.output.slice(drop, drop + keep) + text, outputCut: cut };
}

function mark(item: ChatItem, { done, cut }: Extract<StateChange, { type: 'mark' }>): ChatItem {
  if (!('done' in item)) return item;
  return { ...item, ...(done && { done }), ...(cut !== undefined && { cut }) };
}

function replaceItem(
  items: readonly ChatItem[],
  id: string,
  update: (item: ChatItem) => ChatItem,
): readonly ChatItem[] {
  // Search from the end: the changed item is nearly always one of the last.
  const index = items.findLastIndex((item) => item.id === id);
  const item = items[index];
  return item === undefined ? items : items.with(index, update(item));
}
