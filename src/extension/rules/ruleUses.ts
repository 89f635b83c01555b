import type { ListedRule } from '../../acp/gatehouse/rules.ts';
import type { Clock } from '../../base/clock.ts';
import type { UsedRule } from '../../base/tools/ruleWindow.ts';
import type { HostLink } from '../host/hostLink.ts';
import { ageText } from '../text/ageText.ts';
import type { Translate } from '../text/translate.ts';

export interface RuleUsesParts {
  readonly link: Pick<HostLink, 'started' | 'connection' | 'listsRules'>;
  readonly clock: Clock;
  readonly t: Translate;
}

/** Pages of rules that are read for one file. */
const PAGES = 4;
/** Milliseconds for which an answer counts, since an editor asks at each key. */
const FRESH_MS = 2000;

/** Reads how often the rules of a settings file decided, without starting a host. */
export function createRuleUses({
  link,
  clock,
  t,
}: RuleUsesParts): (file: string) => Promise<readonly UsedRule[]> {
  const known = new Map<
    string,
    { readonly at: number; readonly uses: Promise<readonly UsedRule[]> }
  >();
  const toUse = ({ permission, pattern, action, hits, lastUsed }: ListedRule): UsedRule => {
    const age = lastUsed === undefined ? '' : ageText(clock.now() - lastUsed, t);
    const text =
      hits === 0
        ? t('Not used yet')
        : hits === 1
          ? t('Used once, {0}', age)
          : t('Used {0} times, last {1}', hits, age);
    return { permission, pattern, action, text };
  };
  async function read(file: string): Promise<readonly UsedRule[]> {
    const connection = await link.connection();
    if (!link.listsRules) return [];
    const uses: UsedRule[] = [];
    for (let page = 0; page < PAGES; page += 1) {
      const { total, rules } = await connection.call('rules', { file, offset: uses.length });
      uses.push(...rules.map(toUse));
      if (rules.length === 0 || uses.length >= total) break;
    }
    return uses;
  }
  return (file) => {
    if (!link.started) return Promise.resolve([]);
    const at = clock.now();
    const last = known.get(file);
    if (last !== undefined && at - last.at < FRESH_MS) return last.uses;
    const uses = read(file);
    known.set(file, { at, uses });
    return uses;
  };
}
