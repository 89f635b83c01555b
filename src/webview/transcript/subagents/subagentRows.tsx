import { Fragment } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { useSurroundings } from '../../state/context.ts';
import { InSubagent, SubagentSurrounding } from '../../state/subagents.ts';

interface SubagentProps {
  readonly id: string;
  /** Of the card of its task. */
  readonly title: string;
}

/** What a subagent has said and done, loaded when it is first shown. Its own subagents' cards open in the same way. */
export function SubagentRows(props: SubagentProps) {
  const above = useContext(InSubagent);
  // An imported session may name itself.
  return above.includes(props.id) ? null : <Rows {...props} above={above} />;
}

function Rows({ id, title, above }: SubagentProps & { readonly above: readonly string[] }) {
  const { t, host } = useSurroundings();
  const { states, draw } = useContext(SubagentSurrounding);
  const { items = [], left = 0, fault } = states[id] ?? {};
  const inside = useMemo(() => [...above, id], [above, id]);
  useEffect(() => host.post({ type: 'showSubagent', subagent: id }), [id]);
  return (
    <section class="subagent" aria-label={`${t('subagentConversation')}: ${title}`}>
      {fault !== undefined && <p class="dim">{fault}</p>}
      {states[id] === undefined && <p class="dim">{t('subagentLoading')}</p>}
      {left > 0 && <p class="dim">{t('subagentLeft', left)}</p>}
      <InSubagent.Provider value={inside}>
        {items.map((item) => (
          <Fragment key={item.id}>{draw(item)}</Fragment>
        ))}
      </InSubagent.Provider>
    </section>
  );
}
