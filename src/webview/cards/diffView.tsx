import { Button } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import type { ToolDiff } from '../messages/diff.ts';
import { useSurroundings } from '../state/context.ts';

const SIGN = { '+': 'added', '-': 'removed', ' ': 'same' };

/** The first rows of a diff, with signs, because color alone is not accessible. */
export function DiffView({
  diff,
  onOpen,
}: {
  readonly diff: ToolDiff;
  readonly onOpen: () => void;
}) {
  const { t } = useSurroundings();
  return (
    <figure class="diff">
      <figcaption>
        <span class="diff-path" title={diff.path}>
          <bdi>{diff.label}</bdi>
        </span>
        {diff.created && <span class="tag">{t('newFile')}</span>}
        <Button onClick={onOpen}>{t('showDiff')}</Button>
      </figcaption>
      <Scrolled>
        {diff.rows.map((row, index) => (
          <span key={index} class={`row ${SIGN[row.sign]}`}>
            {row.sign === '-' ? '−' : row.sign} {row.text}
            {'\n'}
          </span>
        ))}
      </Scrolled>
      {diff.more > 0 && <p class="dim">{t('moreRows', diff.more)}</p>}
    </figure>
  );
}
