import { useMemo, useRef } from 'preact/hooks';
import type { TextItem } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { type Block, EMPTY_SPLIT, splitBlocks } from './blocks.ts';
import { CodeBlock } from './codeBlock.tsx';
import { LONGEST_PARSED } from './markdown.ts';

/** A message from the user or the agent, or the model's reasoning, which starts collapsed. */
export function Message({ item }: { readonly item: TextItem }) {
  const { t } = useSurroundings();
  const heading = t(item.kind);
  if (item.kind === 'thought') {
    return (
      <article class="item thought" data-kind="thought">
        <details>
          <summary>
            <h2>{heading}</h2>
          </summary>
          <div class="plain">{item.text}</div>
        </details>
      </article>
    );
  }
  return (
    <article class={`item ${item.kind}`} data-kind={item.kind}>
      <h2 class={item.kind === 'user' ? 'hidden' : 'speaker'}>{heading}</h2>
      {item.kind === 'user' ? <div class="plain">{item.text}</div> : <Markdown item={item} />}
      {item.cut !== undefined && <p class="dim">{t('cutMessage', item.cut)}</p>}
    </article>
  );
}

/** Renders finished blocks once and the last block again while it grows. */
function Markdown({ item }: { readonly item: TextItem }) {
  const split = useRef(EMPTY_SPLIT);
  const next = splitBlocks(item.text, split.current, item.done);
  split.current = next.split;
  return (
    <div class="markdown">
      {next.split.blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
      {next.open !== undefined && <BlockView key={next.split.blocks.length} block={next.open} />}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  const { render } = useSurroundings();
  const { text, type } = block;
  const long = text.length > LONGEST_PARSED;
  const html = useMemo(() => (type === 'code' || long ? '' : render(text)), [text, type, render]);
  if (type === 'code') return <CodeBlock block={block} />;
  if (long) return <div class="plain">{text}</div>;
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
