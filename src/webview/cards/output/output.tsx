import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { Button } from '../../controls/icon.tsx';
import { Sentence } from '../../controls/sentence.tsx';
import { showsEnd, type ToolItem } from '../../messages/chatState.ts';
import { useSurroundings } from '../../state/context.ts';
import type { StyledText } from '../../state/outputStyles.ts';
import { useInSubagent } from '../../state/subagents.ts';

/** The host has no result to open. */
const WITHOUT_RESULT = ['pending', 'in_progress', 'denied'];

/** What a call printed, or the sentences that say why it was denied. */
export function Output({ item }: { readonly item: ToolItem }) {
  const { t } = useSurroundings();
  const { status, output, outputCut, toolKind } = item;
  const nested = useInSubagent();
  const atEnd = showsEnd(toolKind) && status !== 'denied';
  return (
    <>
      {outputCut && atEnd && <p class="dim">{t('outputCutBefore')}</p>}
      <OutputBox text={output} atEnd={atEnd} prose={status === 'denied'} />
      {outputCut && !atEnd && <p class="dim">{t('outputCut')}</p>}
      {!WITHOUT_RESULT.includes(status) && !nested && <OutputButtons item={item} />}
    </>
  );
}

interface OutputBoxProps {
  readonly text: string;
  readonly atEnd: boolean;
  readonly prose: boolean;
}

/** A box of limited height that follows its own end, unless the user has scrolled away from it. */
function OutputBox({ text, atEnd, prose }: OutputBoxProps) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(atEnd);
  const texts = useStyled(text);
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight;
  }, [text]);
  const onScroll = () => {
    const { current } = box;
    if (current === null) return;
    follows.current = atEnd && toBottom(current) < NEAR_END;
  };
  return (
    <pre
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
      tabIndex={0}
      class={prose ? 'output prose' : 'output'}
      onScroll={onScroll}
    >
      {prose ? <Sentence text={text} /> : texts.map(toSpan)}
    </pre>
  );
}

/** The output in its colors, once what reads them is loaded. */
function useStyled(text: string): readonly StyledText[] {
  const { outputStyles } = useSurroundings();
  const [loads, loaded] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => outputStyles.request(text, () => loaded()), [text, loads]);
  return useMemo(() => outputStyles.style(text), [text, loads]);
}

/** Pixels from the end at which the box still follows it. */
const NEAR_END = 16;

function toBottom({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

function toSpan({ text, classes }: StyledText, index: number) {
  if (classes === '') return text;
  return (
    <span key={index} class={classes}>
      {text}
    </span>
  );
}

/** Rows that the box shows in a narrow view without scrolling. */
const ROWS = 10;

/** A short output is selected as fast, and the menu of its card copies it. */
function OutputButtons({ item: { id, command, output, outputCut } }: { readonly item: ToolItem }) {
  const { t, host } = useSurroundings();
  const [copied, setCopied] = useState(false);
  const rows = outputCut ? ROWS + 1 : output.trim().split(/\n|.{60}/).length;
  const copy = () => {
    host.post({ type: 'copyOutput', itemId: id });
    setCopied(true);
  };
  return (
    <p class="buttons">
      {rows > 1 && <Button onClick={copy}>{t(copied ? 'copied' : 'copyOutput')}</Button>}
      {rows > ROWS && (
        <Button onClick={() => host.post({ type: 'openOutput', itemId: id })}>
          {t('openOutput')}
        </Button>
      )}
      {command !== undefined && (
        <Button onClick={() => host.post({ type: 'runInTerminal', itemId: id })}>
          {t('runInTerminal')}
        </Button>
      )}
    </p>
  );
}
