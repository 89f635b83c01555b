import { toCodeSpan, toTargetSpan } from '../../base/codeSpan.ts';
import { decide, isStricter, UNMATCHED } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import {
  askOutside,
  askWrittenOutside,
  getAccess,
  getGrant,
  refusesUnknown,
} from '../decide/outsideFiles.ts';
import {
  guardFiles,
  parseAddress,
  type SubjectResult,
  toSubjectResult,
} from '../decide/subjectResult.ts';
import { isHeadWord, resolveTargets } from '../decide/targets.ts';
import { isShippedForAll, tighten } from '../decide/tightenFile.ts';
import { mayBeThin } from '../disk/thinArchive.ts';
import { describeOdd, isBelowFolded, ODD, type RealPath, resolvePath } from '../patterns/paths.ts';
import { FILE_ASKERS } from '../rules/fileRules.ts';
import { mayBeProtected } from '../rules/protected.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';
import { HOST_ASKERS } from '../rules/watchedHosts.ts';
import type { FileAct, HostAct } from '../shell/acts.ts';
import { evaluateSweep } from '../sweeps/sweep.ts';

/**
 * Whether a file act needs no evaluation: without a file rule or scope, the rule for the command
 * covers reading its operands.
 */
export function isFree(act: FileAct, compiled: Evaluation): boolean {
  if (compiled.tightensFiles || compiled.scope !== undefined) return false;
  if (act.follows === true || act.archive === true || act.misread !== undefined) return false;
  if (act.carries !== undefined) return false;
  return act.role !== 'redirection' && act.access === 'fs.read';
}

/**
 * Evaluates a file that a command line reads or writes. A redirection is a full subject: without a
 * rule it asks. An operand is covered by the command's own rule, unless a path rule is stricter.
 */
export function evaluateFile(act: FileAct, compiled: Evaluation): readonly SubjectResult[] {
  const { real, lost, odd } = resolveTargets(act, compiled);
  const elsewhere = lost ? evaluateElsewhere(act, odd, compiled) : undefined;
  const own = evaluateTarget(act, real, elsewhere, compiled);
  const below = real.flatMap((file) => evaluateSweep(act, file, compiled));
  const members = evaluateMembers(act, real, lost) ?? [];
  const shown = { permission: act.access, target: act.target };
  const misread =
    act.misread === undefined ? [] : [toSubjectResult(shown, 'ask', undefined, act.misread)];
  return [...(own === undefined ? [] : [own]), ...below, ...members, ...misread];
}

/** The files that a thin archive names are in no word, and it may name any. */
function evaluateMembers(
  act: FileAct,
  real: readonly RealPath[],
  lost: boolean,
): readonly SubjectResult[] | undefined {
  if (act.archive !== true || act.access !== 'fs.read') return undefined;
  const unknown = lost || act.unsettled === true;
  if (!unknown && !real.some(({ path }) => mayBeThin(path))) return undefined;
  const why = `${toCodeSpan(act.target)} may be an archive that names other files, which the command would read.`;
  return [toSubjectResult({ permission: act.access, target: act.target }, 'ask', undefined, why)];
}

function evaluateTarget(
  act: FileAct,
  real: readonly RealPath[],
  elsewhere: SubjectResult | undefined,
  compiled: Evaluation,
): SubjectResult | undefined {
  const shown = { permission: act.access, target: act.target };
  const results = real.flatMap((file) => evaluateRealPath(act, file, compiled) ?? []);
  const [first, ...others] = elsewhere === undefined ? results : [elsewhere, ...results];
  if (first === undefined)
    return act.glob !== undefined && act.doubt !== undefined
      ? toSubjectResult(shown, 'ask', undefined, act.doubt)
      : undefined;
  const result = others.reduce(stricter, first);
  return act.doubt !== undefined && result.subject.decision === 'allow'
    ? toSubjectResult(shown, 'ask', undefined, act.doubt)
    : result;
}

/** A folder name that no rule contains. */
const NOWHERE = '/\u{FFFF}';

/**
 * Evaluates a file in an unknown folder. A deny that holds in every folder applies. An operand asks
 * if a path rule or a protected name may apply.
 */
function evaluateElsewhere(
  act: FileAct,
  odd: boolean,
  compiled: Evaluation,
): SubjectResult | undefined {
  const shown = { permission: act.access, target: act.target };
  const inFolder = act.target.includes(ODD)
    ? `The name ${toCodeSpan(act.target)} isn't UTF-8, so Gatehouse can't tell which file it is.`
    : `Gatehouse can't tell which folder the command runs in, so ${toCodeSpan(act.target)} may be any file of that name.`;
  const unknown = odd ? describeOdd(act.target) : inFolder;
  const everywhere = act.role === 'named' ? undefined : findDenyEverywhere(act, compiled);
  if (everywhere !== undefined) return toSubjectResult(shown, 'deny', everywhere);
  if (act.role === 'redirection') {
    const why = act.doubt ?? unknown;
    const result = toSubjectResult(shown, 'ask', undefined, why);
    return refusesUnknown(compiled) ? { ...result, refused: why } : result;
  }
  const asked = toSubjectResult(shown, 'ask', undefined, unknown);
  const bears = act.role === 'operand' && act.unsure !== true;
  const limited = bears && compiled.scope?.namesFiles === true;
  if (limited && refusesUnknown(compiled)) return { ...asked, refused: unknown };
  const named = act.carries !== undefined || (mayBeProtected(act.target) && !isHeadWord(act));
  const bound = limited || compiled.tightensFiles || named;
  return (odd || act.role === 'operand') && bound ? asked : undefined;
}

/** Finds a deny that applies to the name in any folder, inside and outside the workspace roots. */
function findDenyEverywhere(act: FileAct, compiled: Evaluation): Rule | undefined {
  const { platform } = compiled.policy;
  const rules = compiled.fileRules[act.access];
  const heads = [NOWHERE, ...compiled.roots.workspace.map((root) => root + NOWHERE)];
  const found = heads.map((cwd) => {
    const resolved = resolvePath(act.target, { cwd, platform, links: compiled.links });
    if (!resolved.ok) return undefined;
    const file = { path: resolved.path };
    const denies = FILE_ASKERS[act.access].map((tool) =>
      decide({ tool, capability: act.access, match: 'path', ...file }, rules, platform),
    );
    return denies.find(({ action }) => action === 'deny')?.rule;
  });
  return found.every((rule) => rule !== undefined) ? found[0] : undefined;
}

function evaluateRealPath(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): SubjectResult | undefined {
  const shown = { permission: act.access, target: act.target };
  const result = evaluateRules(act, file, compiled);
  const grant = getGrant(act, file.path, compiled);
  if (grant !== 'refuse' && holdsNothing(act, file) && isShipped(result)) return undefined;
  if (grant === 'granted') return result;
  if (grant === 'refuse') {
    const refused = `${getAccess(act)} of ${toTargetSpan(act.target)}.`;
    return { ...(result ?? toSubjectResult(shown, 'ask', undefined)), refused };
  }
  const loose = result === undefined || result.subject.decision === 'allow';
  return loose ? (askOutside(act, file, compiled) ?? result) : result;
}

/** Devices that hold no data of anyone, and that nothing comes out of but zeros or random bytes. */
const DEVICES: ReadonlySet<string> = new Set(
  ['null', 'zero', 'random', 'urandom'].map((name) => `/dev/${name}`),
);

function holdsNothing(act: FileAct, { path }: RealPath): boolean {
  return act.role !== 'redirection' && getAccess(act) === 'fs.read' && DEVICES.has(path);
}

/** Whether no rule of the user decides. */
function isShipped(result: SubjectResult | undefined): boolean {
  return result?.subject.rule === undefined || result.subject.rule.origin?.layer === 'default';
}

function evaluateRules(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): SubjectResult | undefined {
  const shown = { permission: act.access, target: act.target };
  if (act.role === 'redirection') {
    const { platform } = compiled.policy;
    const asker = { tool: act.access, capability: act.access } as const;
    const question = { ...asker, match: 'path', ...file } as const;
    const own = decide(question, compiled.fileRules[act.access], platform);
    const tight = tighten(act.access, file, compiled);
    const decision = tight !== undefined && isStricter(tight.action, own.action) ? tight : own;
    return guardFiles(
      {
        ...toSubjectResult(shown, decision.action, decision.rule),
        ...(act.doubt === undefined && {
          source: { kind: 'path', writes: act.access === 'fs.write', path: file.path },
        }),
      },
      file,
      act.access === 'fs.write',
      compiled,
    );
  }
  return evaluateOperand(act, file, compiled);
}

function evaluateOperand(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): SubjectResult | undefined {
  const shown = { permission: act.access, target: act.target };
  const known = act.role === 'operand';
  const accesses = known ? [act.access] : (['fs.read', 'fs.write'] as const);
  const found = accesses
    .flatMap((access) => tighten(access, file, compiled) ?? [])
    .filter(({ rule }) => (known && act.unsure !== true) || !isShippedForAll(rule));
  const [first, ...others] = found;
  const decision = others.reduce(
    (a, b) => (isStricter(b.action, a.action) ? b : a),
    first ?? UNMATCHED,
  );
  const covers = decision.rule && toRuleSpan(decision.rule);
  if (first !== undefined && act.unsure === true) {
    const why = `The command may touch files below ${toCodeSpan(act.target)} that the rule ${covers} covers.`;
    return toSubjectResult(shown, 'ask', decision.rule, why);
  }
  if (first !== undefined && known) {
    const result = toSubjectResult(shown, decision.action, decision.rule);
    const writes = act.access === 'fs.write';
    return act.doubt === undefined
      ? {
          ...result,
          source: { kind: 'path', writes, path: file.path, folder: act.sweep !== undefined },
        }
      : result;
  }
  if (first !== undefined) {
    const why = `An unknown program may touch ${toCodeSpan(act.target)}, which the rule ${covers} covers.`;
    return toSubjectResult(shown, 'ask', decision.rule, why);
  }
  const allowed = toSubjectResult(shown, 'allow', undefined);
  const writes = act.access === 'fs.write' && !isHeadWord(act);
  const guarded = guardFiles(allowed, file, writes, compiled);
  if (guarded.subject.decision !== 'allow') return guarded;
  const outside = act.unsure === true ? undefined : askWrittenOutside(act, file, compiled);
  if (outside !== undefined) return outside;
  return wipesRoot(act, file, compiled)
    ? toSubjectResult(
        shown,
        'ask',
        undefined,
        `The command may write every file in ${toCodeSpan(act.target)}, including protected files.`,
      )
    : undefined;
}

/** Whether it writes everything in a folder that is, or contains, a workspace root. */
function wipesRoot(act: FileAct, { path }: RealPath, compiled: Evaluation): boolean {
  if (act.sweep !== 'all' || act.unsure === true || act.access !== 'fs.write') return false;
  return holdsRoot(path, compiled);
}

/** Whether the folder is, or contains, a workspace root. */
function holdsRoot(folder: string, { roots, policy }: Evaluation): boolean {
  return roots.workspace.some((root) => isBelowFolded(root, folder, policy.platform));
}

/**
 * Evaluates a host that a command line contacts. For an operand only an ask or deny counts;
 * `/dev/tcp` is a full subject.
 */
export function evaluateHost(act: HostAct, compiled: Evaluation): SubjectResult | undefined {
  const shown = { permission: 'net.fetch', target: act.url };
  const address = isReadTwice(act.url) ? undefined : parseAddress(act.url);
  const { rules, scope, policy } = compiled;
  if (address === undefined) {
    const result = toSubjectResult(
      shown,
      'ask',
      undefined,
      `Gatehouse can't tell the host of ${toCodeSpan(act.url)}.`,
    );
    return (scope?.allowsAnyHost ?? true)
      ? result
      : { ...result, refused: `net.fetch of ${toTargetSpan(act.url)}.` };
  }
  const granted = scope?.allowsHost(address.host, address.port) ?? true;
  const refused = granted ? undefined : `net.fetch of ${toTargetSpan(act.url)}.`;
  const found = HOST_ASKERS.map((tool) =>
    decide({ tool, capability: 'net.fetch', match: 'host', ...address }, rules, policy.platform),
  );
  const [own = UNMATCHED] = found;
  const tight =
    found.find((each) => each.action === 'deny') ??
    found.find((each) => each.rule !== undefined && each.action === 'ask');
  const decision = tight ?? own;
  const result = toSubjectResult(shown, decision.action, decision.rule);
  if (refused !== undefined) return { ...result, refused };
  return act.role === 'redirection' || tight !== undefined ? result : undefined;
}

/**
 * Whether programs disagree about the host of the URL, as for `http://a\\@b/` and `http://a#@b/`.
 */
function isReadTwice(url: string): boolean {
  return /^[^/]*(?:\/\/)?[^/]*[\\#?][^/]*@/.test(url) || /^[^/]*\/\/[^/?#]*\\/.test(url);
}

function stricter(a: SubjectResult, b: SubjectResult): SubjectResult {
  if (b.refused !== undefined && a.refused === undefined) return b;
  if (a.refused !== undefined) return a;
  return isStricter(b.subject.decision, a.subject.decision) ? b : a;
}
