import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import type { CodeText } from '../state/coloring.ts';
import { useSurroundings } from '../state/context.ts';

/** Characters. Code that grows is a list of texts of this length, of which only the last changes. */
const PIECE = 4_000;

/** A fenced code block. It is colored once it is complete and the page idle. */
export function CodeBlock({ block }: { readonly block: CodeText }) {
  const { t } = useSurroundings();
  const [copied, setCopied] = useState(false);
  const html = useColored(block);
  const { text, language } = block;
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
          <code>{toPieces(text)}</code>
        ) : (
          <code dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </Scrolled>
    </figure>
  );
}

function useColored(block: CodeText): string | undefined {
  const { coloring } = useSurroundings();
  const [, setDone] = useState<CodeText | undefined>(undefined);
  const known = coloring.known(block);
  useEffect(() => {
    if (!block.closed || known !== undefined) return undefined;
    return coloring.request(block, () => setDone(block));
  }, [block, known === undefined]);
  return known;
}

function toPieces(text: string): readonly string[] {
  const count = Math.max(1, Math.ceil(text.length / PIECE));
  return Array.from({ length: count }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE));
}
