import type { SlackOptions } from '../adapter.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Finding } from '../../../src/model/service.ts';

export type Findings = AsyncGenerator<Finding, void, void>;

export const finding = (check: string, ok: boolean, detail: string): Finding => ({
  check: `Slack: ${check}`,
  ok,
  detail,
});

export const optional = (check: string, detail: string): Finding => ({
  ...finding(check, false, detail),
  isOptional: true,
});

/** The address at which this program answers on this computer. */
export const ownAddress = ({ host, port }: Pick<SlackOptions, 'host' | 'port'>): string => {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host;
  return `http://${loopback}:${port}`;
};

export const runCheck = async (check: string, look: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await look();
  } catch (thrown) {
    return finding(check, false, toAppError(thrown).message);
  }
};
