import type { WireRisk } from '../../acp/gatehouse/permission.ts';
import type { Ask } from '../../webview/messages/asks.ts';
import type { Translate } from './translate.ts';

export interface RiskyRequest {
  readonly ask: Ask;
  readonly risks?: readonly WireRisk[];
}

/** How much attention a request deserves, and why, in one line. */
export function riskText({ ask, risks = [] }: RiskyRequest, t: Translate): string {
  if (ask.kind === 'question') return t('Question');
  const reasons = [
    ...risks.map((risk) => describeRisk(risk, t)),
    ...(ask.suspicious ? [t('hidden characters')] : []),
  ];
  const high = ask.suspicious || ask.toolKind === 'delete' || risks.some((risk) => HIGH.has(risk));
  if (high) return t('High risk: {0}', reasons.join(', ') || t('deletes files'));
  if (reasons.length > 0) return t('Medium risk: {0}', reasons.join(', '));
  return READING.has(ask.toolKind) ? t('Low risk') : t('Medium risk');
}

const HIGH: ReadonlySet<WireRisk> = new Set(['watchdog', 'destructive', 'protected', 'outside']);
const READING: ReadonlySet<string> = new Set(['read', 'search', 'think']);

function describeRisk(risk: WireRisk, t: Translate): string {
  switch (risk) {
    case 'watchdog':
      return t('reported by the watchdog');
    case 'destructive':
      return t('destructive');
    case 'network':
      return t('network access');
    case 'protected':
      return t('protected file');
    case 'outside':
      return t('outside the workspace');
    case 'unclear':
      return t('unclear effects');
  }
}
