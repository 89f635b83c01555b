import type { ChatItem, ChatState, ToolItem } from '../../src/webview/messages/chatState.ts';

/** A chat that waits for its user. */
export function chatState(items: readonly ChatItem[], change: Partial<ChatState> = {}): ChatState {
  return {
    activity: 'idle',
    header: { model: 'model', tour: false },
    workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
    options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    ...{ plan: [], unreviewed: [], asks: [], request: null, queue: [], choices: [] },
    ...change,
    items,
  };
}

export function toolItem(id: string, change: Partial<ToolItem> = {}): ToolItem {
  return {
    ...{ kind: 'tool', id, title: `Call ${id}`, toolKind: 'execute', status: 'completed' },
    ...{ diffs: [], terminals: [], output: `output of ${id}`, outputCut: false, locations: [] },
    ...change,
  };
}

/** A long conversation: messages of the user, answers of several lengths, and calls. */
export function longChat(turns: number): readonly ChatItem[] {
  return Array.from({ length: turns }, (_, turn): readonly ChatItem[] => [
    { kind: 'user', id: `user-${turn}`, text: `Question ${turn}`, done: true },
    toolItem(`call-${turn}`),
    {
      ...{ kind: 'agent', id: `agent-${turn}`, done: true },
      text: Array.from(
        { length: 1 + (turn % 7) },
        (__, at) => `Answer ${turn}, part ${at}, with \`src/a.ts:${turn}\` and **bold** text.`,
      ).join('\n\n'),
    },
  ]).flat();
}
