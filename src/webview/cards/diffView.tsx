import { Button } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import type { DiffRow, ToolDiff } from '../messages/diff.ts';
import { useSurroundings } from '../state/context.ts';

const SIGN = { '+': 'added', '-': 'removed', ' ': 'same' };

/** The first rows of a diff, with signs, because color alone is not accessible. */
export function DiffView({
  diff,
  onOpen,
}: {
  readonly diff: ToolDiff;
  readonly onOpen?: () => void;
}) {
  const { t } = useSurroundings();
  return (
    <figure class="diff">
      <figcaption>
        {!diff.document && (
          <span class="diff-path" title={diff.path}>
            <bdi>{diff.label}</bdi>
          </span>
        )}
        {diff.created && !diff.document && <span class="tag">{t('newFile')}</span>}
        {diff.deleted && <span class="tag">{t('deletedFile')}</span>}
        {onOpen && (
          <Button onClick={onOpen}>{t(diff.document ? 'openDocument' : 'showDiff')}</Button>
        )}
      </figcaption>
      <Scrolled>
        {diff.rows.map((row, index) =>
          diff.document ? <Line key={index} row={row} /> : <Row key={index} row={row} />,
        )}
      </Scrolled>
      {diff.more > 0 && <p class="dim">{t('moreRows', diff.more)}</p>}
    </figure>
  );
}

/** A line of a document. */
function Line({ row }: { readonly row: DiffRow }) {
  return (
    <span class="row same">
      {row.sign !== 'gap' && row.text}
      {'\n'}
    </span>
  );
}

function Row({ row }: { readonly row: DiffRow }) {
  const { t } = useSurroundings();
  if (row.sign === 'gap') {
    return (
      <span class="row gap">
        ⋯{row.lines !== undefined && ` ${t('unchangedLines', row.lines)}`}
        {'\n'}
      </span>
    );
  }
  return (
    <span class={`row ${SIGN[row.sign]}`}>
      {row.sign === '-' ? '−' : row.sign} {row.text}
      {'\n'}
    </span>
  );
}
