import { toCodeSpan } from '../../base/codeSpan.ts';
import { type Asker, decideCommand, toTarget } from '../decide/commandTarget.ts';
import type { RuleDecision } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { findShare } from '../decide/networkShare.ts';
import { findShadow } from '../decide/shadowedProgram.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import { followGit } from '../moves/followGit.ts';
import { resolveTops } from '../moves/topFolders.ts';
import type { Policy } from '../rules/policy.ts';
import type { Subject } from '../rules/subject.ts';
import type { Act, CommandAct, ShellAnalysis } from '../shell/acts.ts';
import { analyzeBash } from '../shell/bash/walk.ts';
import { addSecondReading } from '../shell/outline/secondReading.ts';
import { createSeen, type Seen } from '../shell/seenActs.ts';
import { analyzeCmd } from '../shell/windows/cmd.ts';
import { joinWords } from '../shell/words.ts';
import { markOffers } from '../sweeps/offeredLine.ts';
import { markUnsettled } from '../sweeps/settled.ts';
import { lookBelowSweeps } from '../sweeps/sweep.ts';
import { evaluateIgnoreFiles, evaluateNpmSettings } from './evaluateIgnoreFiles.ts';
import { evaluateNested, evaluateReplaced, evaluateRepository } from './evaluateRepository.ts';
import { evaluateFile, evaluateHost, isFree } from './evaluateTouch.ts';
import { findNamedCommand } from './namedCommands.ts';
import { findNamedHost } from './namedHosts.ts';
import { watchLine } from './watch.ts';

/**
 * Analyzes a whole command line, so that each simple command, file and host is evaluated on its own
 * (corpus C2, C6).
 */
export async function prepareCommand(
  subject: Subject,
  evaluation: Evaluation,
): Promise<(compiled: Evaluation) => readonly SubjectResult[]> {
  const analyzed = await analyze(subject.target, evaluation.policy);
  const acts = resolveTops(markUnsettled(analyzed.acts, analyzed.compound === true));
  const started = performance.now();
  await lookBelowSweeps(acts, evaluation);
  const followed = await followGit(markOffers(acts), analyzed, evaluation, started);
  const analysis = { ...analyzed, acts: followed };
  return (compiled) => evaluateLine(analysis, subject, compiled);
}

function evaluateLine(
  analysis: ShellAnalysis,
  subject: Subject,
  compiled: Evaluation,
): readonly SubjectResult[] {
  if (analysis.refused !== undefined) {
    return [toSubjectResult(subject, 'deny', undefined, analysis.refused)];
  }
  const seen = createSeen();
  const results: SubjectResult[] = [];
  for (const act of analysis.acts) {
    results.push(...evaluateAct(act, subject, compiled, seen));
  }
  results.push(...watchLine(analysis.acts, compiled));
  // A line that runs no command is still a call, so the rules are matched against its text.
  if (results.length === 0) results.push(evaluateWhole(subject, compiled));
  const [doubt] = analysis.doubts;
  if (doubt === undefined) return results;
  const whole = toSubjectResult(subject, 'ask', undefined, doubt);
  return [...results, isUnprovable(compiled) ? { ...whole, refused: doubt } : whole];
}

async function analyze(line: string, policy: Policy): Promise<ShellAnalysis> {
  const analysis = await addSecondReading(await analyzeOwn(line, policy));
  if (analysis.refused !== undefined || !analysis.acts.some(startsForeignShell)) return analysis;
  const { addForeignShells } = await import('../shell/windows/foreignShells.ts');
  return addForeignShells(analysis, policy.folders.cwd, policy.platform);
}

/** Whether the command may be a shell of Windows. Names that aren't literal ask anyway. */
function startsForeignShell(act: Act): boolean {
  return act.kind === 'command' && /pwsh|powershell|cmd/i.test(act.words[0]?.value ?? '');
}

async function analyzeOwn(line: string, policy: Policy): Promise<ShellAnalysis> {
  const { shell, platform, folders } = policy;
  if (shell === 'bash') return analyzeBash(line, folders.cwd, platform, policy);
  if (shell === 'cmd') return analyzeCmd(line, folders.cwd, platform);
  const { analyzePowerShell } = await import('../shell/windows/powershell.ts');
  return analyzePowerShell(line, folders.cwd, platform);
}

function evaluateAct(
  act: Act,
  subject: Subject,
  compiled: Evaluation,
  seen: Seen,
): readonly SubjectResult[] {
  if (act.kind === 'command') return toList(evaluateSimple(act, subject, compiled, seen));
  if (act.kind === 'file') {
    return isFree(act, compiled) || seen.has(act, act.target) ? [] : evaluateFile(act, compiled);
  }
  return seen.has(act, act.url) ? [] : toList(evaluateHost(act, compiled));
}

function toList(result: SubjectResult | undefined): readonly SubjectResult[] {
  return result === undefined ? [] : [result];
}

function evaluateSimple(
  act: CommandAct,
  subject: Subject,
  compiled: Evaluation,
  seen: Seen,
): SubjectResult | undefined {
  if (act.tightensOnly === true && !compiled.tightensCommands) return undefined;
  const text = joinWords(act.words);
  if (seen.has(act, text)) return undefined;
  const decision = decideCommand(toTarget(act, text, compiled), subject, compiled);
  const shown = { permission: subject.permission, target: text };
  if (act.tightensOnly === true) {
    const counts = decision.rule !== undefined && decision.action !== 'allow';
    return counts ? toSubjectResult(shown, decision.action, decision.rule) : undefined;
  }
  const named =
    decision.action === 'allow' ? evaluateNamed(act, subject, shown, compiled) : undefined;
  // A rule of the user's own covers the command whatever the repository is.
  const shipped = decision.action === 'allow' && decision.rule?.origin?.layer === 'default';
  const wild = decision.action === 'allow' && decision.rule?.pattern !== text;
  const git = act.words[0]?.value === 'git';
  const found =
    named ??
    (git && (wild || shipped) ? evaluateReplaced(act, shown, compiled) : undefined) ??
    (shipped ? evaluateFound(act, shown, compiled) : undefined) ??
    (git && wild && !shipped ? evaluateNested(act, shown, compiled) : undefined);
  const result = found ?? toDecisionResult(act, decision, shown);
  const refused = findRefusal(act, compiled);
  return refused === undefined ? result : { ...result, refused };
}

/** Evaluates which program is started, and what it finds in the folder that it runs in. */
function evaluateFound(
  act: CommandAct,
  shown: Shown,
  compiled: Evaluation,
): SubjectResult | undefined {
  const shadow = findShadow(act.words, compiled);
  if (shadow !== undefined) {
    const program = toCodeSpan(act.words[0]?.value ?? '');
    const why = `${program} may start ${toCodeSpan(shadow)}, which lies in the workspace, because PATH names its folder.`;
    return toSubjectResult(shown, 'ask', undefined, why);
  }
  const share = findShare(act.words, compiled);
  if (share !== undefined) {
    const why = `${toCodeSpan(share)} may be on another machine, which Windows would contact.`;
    return toSubjectResult(shown, 'ask', undefined, why);
  }
  if (act.folders === undefined) return undefined;
  const program = act.words[0]?.value;
  if (program === 'npm') return evaluateNpmSettings(act, shown, compiled);
  return program === 'git'
    ? evaluateRepository(act, shown, compiled)
    : evaluateIgnoreFiles(act, shown, compiled);
}

type Shown = Pick<Subject, 'permission' | 'target'>;

function toDecisionResult(act: CommandAct, decision: RuleDecision, shown: Shown): SubjectResult {
  if (act.doubt !== undefined && decision.action === 'allow') {
    return { ...toSubjectResult(shown, 'ask', undefined, act.doubt), doubtful: act };
  }
  const why = describeUncovered(act, decision, shown.target);
  const result = toSubjectResult(shown, decision.action, decision.rule, why);
  if (act.doubt !== undefined) return { ...result, doubtful: act };
  return { ...result, source: { kind: 'command', act } };
}

/**
 * Finds a host or command that an ask or deny rule covers among the words of a program that may use
 * it.
 */
function evaluateNamed(
  act: CommandAct,
  subject: Asker,
  shown: Shown,
  compiled: Evaluation,
): SubjectResult | undefined {
  const named =
    (act.namesHosts === true ? findNamedHost(act, compiled) : undefined) ??
    (act.mayLaunch === true ? findNamedCommand(act, subject, compiled) : undefined);
  return named === undefined ? undefined : toSubjectResult(shown, 'ask', named.rule, named.why);
}

function evaluateWhole(subject: Subject, compiled: Evaluation): SubjectResult {
  const text = subject.target.trim();
  // Nothing in it runs, or a doubt would ask. Other lines of this kind must be spelled out by the rule.
  const tests = compiled.policy.shell === 'bash' && /^\[\[\s/.test(text);
  const spelled: readonly [number, number][] = tests ? [] : [[0, text.length]];
  const decision = decideCommand(
    { text, aliases: [], spelled, hosts: [], remotes: [], options: [] },
    subject,
    compiled,
  );
  const result = toSubjectResult(subject, decision.action, decision.rule);
  return compiled.scope === undefined || compiled.scope.allowsAnyCommand
    ? result
    : { ...result, refused: 'a line that runs no command.' };
}

/**
 * Explains which words an allow rule must contain literally, if that is why no rule covers the
 * command.
 */
function describeUncovered(
  act: CommandAct,
  decision: RuleDecision,
  text: string,
): string | undefined {
  if (decision.rule !== undefined || act.risky.size === 0) return undefined;
  if (act.why !== undefined) return act.why;
  const words = [...act.risky].sort((a, b) => a - b).map((index) => act.words[index]?.value ?? '');
  return `${toCodeSpan(words.join(' '))} may run a program or write a file. Only a rule that contains it literally can allow ${toCodeSpan(text)}.`;
}

/**
 * With a shell requirement, every word must be literal, and the requirement must cover both the
 * program and its launcher (spec CA-20).
 */
function findRefusal(act: CommandAct, compiled: Evaluation): string | undefined {
  if (compiled.scope === undefined || compiled.scope.allowsAnyCommand) return undefined;
  const text = joinWords(act.words);
  if (act.doubt !== undefined) return act.doubt;
  const unknown = act.words.find(({ literal }) => !literal);
  if (unknown !== undefined)
    return `running ${toCodeSpan(text)}, because ${toCodeSpan(unknown.value)} isn't literal.`;
  const argv = act.words.map((word) => word.value);
  return compiled.scope.allowsCommand(argv) ? undefined : `running ${toCodeSpan(text)}.`;
}

function isUnprovable(compiled: Evaluation): boolean {
  return compiled.scope !== undefined && !compiled.scope.allowsAnyCommand;
}
