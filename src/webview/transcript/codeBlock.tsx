import { useMemo, useState } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import { useSurroundings } from '../state/context.ts';
import type { Block } from './blocks.ts';
import { highlight } from './highlight.ts';

/** A fenced code block. It is highlighted once it is complete. */
export function CodeBlock({ block }: { readonly block: Extract<Block, { type: 'code' }> }) {
  const { t } = useSurroundings();
  const [copied, setCopied] = useState(false);
  const { text, language, closed } = block;
  const html = useMemo(
    () => (closed ? highlight(text, language) : undefined),
    [text, language, closed],
  );
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <figure class="code">
      <figcaption>
        <span class="dim">{language}</span>
        <button
          type="button"
          class="icon-button"
          aria-label={copied ? t('copied') : t('copy')}
          onClick={copy}
        >
          <Icon name={copied ? 'check' : 'copy'} />
        </button>
      </figcaption>
      <Scrolled>
        {html === undefined ? (
          <code>{text}</code>
        ) : (
          <code dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </Scrolled>
    </figure>
  );
}
