import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChanges } from '../../../../src/extension/chat/transcript.ts';
import { type Block, EMPTY_SPLIT, splitBlocks } from '../../../../src/webview/markdown/blocks.ts';
import { createMarkdown, LONGEST_PARSED } from '../../../../src/webview/markdown/markdown.ts';
import { applyChange } from '../../../../src/webview/messages/applyChange.ts';
import type { ChatState, TextItem } from '../../../../src/webview/messages/chatState.ts';
import { chatState } from '../../../browser/chatState.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { createRandom } from '../../random.ts';
import { createDocument, cutUp } from './documents.ts';

const DOCUMENTS = sizeOf(5_000, 20_000);
const render = createMarkdown((key, value = '') => `${key} ${value}`);

test(`${DOCUMENTS} documents in random pieces are drawn as in one piece`, () => {
  for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
    const random = createRandom(seed);
    const text = createDocument(random);
    assert.deepEqual(stream(cutUp(random, text)), stream([text]), `seed ${seed}`);
  }
});

test('the blocks of a document together are what Markdown makes of the whole', () => {
  let compared = 0;
  for (let seed = 1; seed <= DOCUMENTS / 5; seed += 1) {
    const text = createDocument(createRandom(seed));
    // Code in a list is drawn below it, and links that are defined elsewhere are not known.
    if (/\n {2}[`~]|\[a\]:/.test(text)) continue;
    compared += 1;
    const { split, open } = splitBlocks(text, EMPTY_SPLIT, true);
    const drawn = [...split.blocks, ...(open ? [open] : [])].map(drawAsMarkdown).join('');
    assert.equal(withoutSpacing(drawn), withoutSpacing(render(text)), `seed ${seed}`);
  }
  assert.ok(compared > DOCUMENTS / 10);
});

function drawAsMarkdown({ type, text }: Block): string {
  if (type === 'markdown') return render(text);
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  return render(`~~~~~~~~~~\n${text}${end}~~~~~~~~~~`);
}

/** A list with blank lines has paragraphs in its items. */
function withoutSpacing(html: string): string {
  return html.replace(/<code class="[^"]*">/g, '<code>').replace(/\n|<\/?p( [^>]*)?>/g, '');
}

/** What an answer that arrives in these pieces looks like, through the extension and the page. */
function stream(pieces: readonly string[]): readonly string[] {
  let state: ChatState = chatState([]);
  let split = EMPTY_SPLIT;
  for (const text of pieces) {
    const update = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text },
    } as const;
    state = toChanges(state, update, (path) => path).reduce(applyChange, state);
    const frozen = split.blocks;
    split = splitBlocks(readAnswer(state).text, split, false).split;
    // What is finished is not drawn again.
    assert.deepEqual(split.blocks.slice(0, frozen.length), frozen);
    assert.ok(frozen.every((block, at) => split.blocks[at] === block));
  }
  const whole = splitBlocks(readAnswer(state).text, split, true);
  return [...whole.split.blocks, ...(whole.open ? [whole.open] : [])].map(draw);
}

/** As `BlockView` does. */
function draw({ type, text, ...block }: Block): string {
  if (type === 'code') return `${'language' in block ? block.language : ''}\n${text}`;
  return text.length > LONGEST_PARSED ? text : render(text);
}

function readAnswer({ items: [item] }: ChatState): Pick<TextItem, 'text'> {
  return item !== undefined && 'text' in item ? item : { text: '' };
}
