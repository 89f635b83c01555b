import type { Strings } from '../../webview/messages/stringKeys.ts';
import type { Translate } from './translate.ts';

/** Every text of the chat in the user's language; the page itself has no words of its own. */
export function webviewStrings(t: Translate): Strings {
  return { ...conversationStrings(t), ...askStrings(t), ...stateStrings(t) };
}

function conversationStrings(t: Translate) {
  return {
    agent: t('Gatehouse'),
    conversation: t('Conversation'),
    copied: t('Copied'),
    copy: t('Copy'),
    cutMessage: t('{0} more characters are not shown here.'),
    done: t('Done'),
    earlier: t('Show earlier messages'),
    empty: t('What should be done?'),
    emptyHint: t(
      'Gatehouse asks before it changes a file, and before it runs what no rule allows.',
    ),
    error: t('Error'),
    image: t('Image (not loaded): {0}'),
    jumpDown: t('New messages'),
    message: t('Message'),
    messageHint: t('Describe what to do'),
    moreRows: t('… and {0} more'),
    newFile: t('new file'),
    newSession: t('New Session'),
    note: t('Note'),
    outputCut: t('The output is longer; this is its beginning.'),
    plan: t('Plan'),
    printedNothing: t('It printed nothing.'),
    queue: t('Queue'),
    queued: t('Sent when this turn ends'),
    removeQueued: t('Remove from the queue'),
    retry: t('Retry'),
    send: t('Send'),
    showDiff: t('Show diff'),
    showTerminal: t('Show terminal'),
    stop: t('Stop'),
    thought: t('Reasoning'),
    user: t('You'),
  };
}

function askStrings(t: Translate) {
  return {
    addDetail: t('Send reason'),
    allowAlways: t('Always allow…'),
    allowOnce: t('Allow once'),
    allowSession: t('Allow for session'),
    alsoMatches: t('also matches {0}'),
    answer: t('Answer'),
    answerInPick: t('Answer…'),
    characters: t('{0} characters'),
    decline: t('Skip'),
    deny: t('Deny'),
    denyWithReason: t('Deny with reason…'),
    everywhere: t('Everywhere'),
    inSession: t('This session'),
    inWorkspace: t('This workspace'),
    keptForUser: t('Everywhere (user settings)'),
    keptInSession: t('In this session'),
    keptInWorkspace: t('In this workspace (workspace settings)'),
    hidden: t('This holds hidden or look-alike characters; they are written out.'),
    other: t('Other…'),
    otherInstead: t('Other, in place of the choices…'),
    permissionNeeded: t('Permission needed: {0}'),
    permissionNeededNow: t('Permission needed'),
    question: t('Question: {0}'),
    reason: t('Why not, or what to do instead'),
    why: t('Why asked: {0}'),
  };
}

function stateStrings(t: Translate) {
  return {
    approvedByRule: t('Allowed by the rule {0}'),
    brokenRules: t(
      'Problems in your Gatehouse settings: {0}. A rule that cannot be read counts as "ask".',
    ),
    manageTrust: t('Manage Workspace Trust'),
    noFolder: t('No folder is open: the agent works in a scratch folder of its own.'),
    noModel: t('No model is set up yet.'),
    noModelHint: t('Gatehouse talks to any OpenAI-compatible endpoint.'),
    openSettings: t('Open Settings'),
    restartHost: t('Restart Host'),
    restarting: t('Restarting the host'),
    running: t('Working'),
    setApiKey: t('Set API Key…'),
    setModel: t('Set Model…'),
    showLog: t('Show Log'),
    starting: t('Starting'),
    statusAborted: t('stopped'),
    statusBackground: t('in background'),
    statusCompleted: t('done'),
    statusDenied: t('denied'),
    statusExit: t('exit {0}'),
    statusFailed: t('failed'),
    statusPending: t('waiting'),
    statusRunning: t('running'),
    statusSignal: t('ended by {0}'),
    stopping: t('Stopping'),
    tour: t('scripted tour'),
    untrusted: t(
      'This workspace is not trusted. You can read past sessions; the agent does not run here.',
    ),
    waiting: t('Waiting for you'),
  };
}
