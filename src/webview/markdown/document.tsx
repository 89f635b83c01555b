import { useMemo, useRef } from 'preact/hooks';
import { useSurroundings } from '../state/context.ts';
import { type Block, EMPTY_SPLIT, type Split, splitBlocks } from './blocks.ts';
import { CodeBlock } from './codeBlock.tsx';
import { LONGEST_PARSED } from './markdown.ts';
import { memo } from './memo.ts';

/** The blocks of finished texts, which may be drawn again when they come into view. */
const finished = new WeakMap<object, Split>();

export interface MarkdownProps {
  /** What the text is of; another object once it changes. */
  readonly of: object;
  readonly text: string;
  /** Nothing more will be appended. */
  readonly done: boolean;
}

/** Renders finished blocks once and the last block again while it grows. */
export function Markdown({ of, text, done }: MarkdownProps) {
  const split = useRef(finished.get(of) ?? EMPTY_SPLIT);
  const next = splitBlocks(text, split.current, done);
  split.current = next.split;
  if (done) finished.set(of, next.split);
  const groups = useGroups(next.split.blocks, next.open);
  return (
    <div class="markdown">
      {groups.map((group, index) => (
        <Group key={index} blocks={group} />
      ))}
    </div>
  );
}

/** How many blocks are compared as one, because a long answer has hundreds. */
const GROUP = 32;

/** The blocks in their order; groups of finished ones stay the same arrays. */
function useGroups(
  blocks: readonly Block[],
  open: Block | undefined,
): readonly (readonly Block[])[] {
  const finishedGroups = useRef<(readonly Block[])[]>([]);
  const { current } = finishedGroups;
  while ((current.length + 1) * GROUP <= blocks.length) {
    current.push(blocks.slice(current.length * GROUP, (current.length + 1) * GROUP));
  }
  const last = [...blocks.slice(current.length * GROUP), ...(open === undefined ? [] : [open])];
  return last.length === 0 ? current : [...current, last];
}

const Group = memo(function Group({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  );
});

/** A block that is finished keeps its identity, and is not drawn again. */
const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
  const { render } = useSurroundings();
  const { text, type } = block;
  const long = text.length > LONGEST_PARSED;
  const html = useMemo(() => (type === 'code' || long ? '' : render(text)), [text, type, render]);
  if (type === 'code') return <CodeBlock block={block} />;
  if (long) return <Plain text={text} />;
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
});

export function Plain({ text }: { readonly text: string }) {
  return (
    <div class="plain" dir="auto">
      {text}
    </div>
  );
}
