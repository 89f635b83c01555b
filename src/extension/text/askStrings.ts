import type { Translate } from './translate.ts';

/** The chat's strings about requests. */
export function askStrings(t: Translate) {
  return {
    ...answerStrings(t),
    ...riskStrings(t),
    answer: t('Answer'),
    answerInPick: t('Answer…'),
    characters: t('{0} characters'),
    cwd: t('in {0}'),
    decline: t('Skip'),
    askedAgain: t('Asked again: {0}'),
    goToRule: t('Go to Rule'),
    hidden: t('Contains hidden or look-alike characters, shown here as code points.'),
    nextRequest: t('Next Request'),
    other: t('Other…'),
    otherChanges: t('Other changes. Clear a check box to leave one out.'),
    otherInstead: t('Other, instead of the choices…'),
    partAllow: t('allowed'),
    partAsk: t('asks'),
    partDeny: t('denied'),
    parts: t('Parts of the command'),
    permissionNeeded: t('Permission needed: {0}'),
    permissionNeededNow: t('Permission needed'),
    position: t('{0} of {1}'),
    question: t('Question: {0}'),
    showRequest: t('Show'),
    why: t('Reason: {0}'),
  };
}

function answerStrings(t: Translate) {
  return {
    allow: t('Allow'),
    approveAndBuild: t('Approve and Build'),
    approvePlan: t('Approve'),
    allowAlways: t('Always…'),
    allowOnce: t('Allow Once'),
    allowSession: t('For This Session'),
    alsoDenies: t('also denies {0}'),
    alsoMatches: t('also allows {0}'),
    back: t('Back'),
    chooseRules: t('Choose the rules to save'),
    currentRequest: t('Current Request'),
    deny: t('Deny'),
    denyAlways: t('Always Deny…'),
    denyAnd: t('Deny and Send'),
    denyMenu: t('Deny…'),
    denySession: t('Deny for This Session: exactly this call'),
    denyWithReason: t('Deny With Reason…'),
    edit: t('Edit…'),
    editHint: t('Change it, then run it. The rules are checked again.'),
    everywhere: t('All workspaces'),
    inSession: t('This session'),
    inWorkspace: t('This workspace'),
    invalidJson: t('Must be an object in JSON.'),
    keptForUser: t('All workspaces (user settings)'),
    keptInSession: t('This session'),
    keptInWorkspace: t('This workspace (workspace settings)'),
    more: t('More'),
    next: t('Next'),
    reason: t('Why not, or what to do instead'),
    reasonHint: t('Optional. Sent to the agent.'),
    run: t('Run'),
    runWithoutSandbox: t('Run Without Sandbox…'),
    saveWhere: t('Choose where to save it'),
    ...sessionStrings(t),
    step: t('Step {0} of {1}'),
  };
}

/** What an answer for the session covers. */
function sessionStrings(t: Translate) {
  return {
    sessionCall: t('For This Session: this call'),
    sessionCommand: t('For This Session: this command'),
    sessionCommands: t('For This Session: these commands'),
    sessionEdits: t('For This Session: edits in this workspace'),
    sessionEditsIn: t('For This Session: edits in {0}'),
    sessionExact: t('For This Session: exactly this call'),
    sessionFile: t('For This Session: this file'),
    sessionFiles: t('For This Session: these {0} files'),
    sessionFolder: t('For This Session: everything in {0}'),
    sessionHost: t('For This Session: {0}'),
    sessionTool: t('For This Session: {0} with any arguments'),
  };
}

/** What is risky about a part of a call, without the part itself. */
function riskStrings(t: Translate) {
  return {
    riskDestructive: t('Deletes or overwrites'),
    riskNetwork: t('Uses the network'),
    riskOutside: t('Writes outside the workspace'),
    riskProtected: t('Writes a protected file'),
    riskUnclear: t("Can't be checked"),
    riskWatchdog: t('Flagged by the watchdog'),
  };
}
