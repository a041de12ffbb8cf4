import { request } from 'undici';
import { toAppError } from '../errors.ts';
import type { Finding } from '../model/service.ts';

const CLOCK_WAIT_MS = 10_000;

export interface ClockOptions {
  /** An address of the platform's that anybody may call, with any of its answers. */
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  /** Largest tolerated clock skew. */
  readonly mostMs: number;
}

/** Creates what a platform's doctor makes its findings with. */
export const createFindings = (platform: string) => {
  const finding = (check: string, ok: boolean, detail: string): Finding => ({
    check: `${platform}: ${check}`,
    ok,
    detail,
  });
  return {
    finding,
    optional: (check: string, detail: string): Finding => ({
      ...finding(check, false, detail),
      isOptional: true,
    }),
    /** Runs a check; an error is its finding. */
    runCheck: async (check: string, look: () => Promise<Finding>): Promise<Finding> => {
      try {
        return await look();
      } catch (thrown) {
        return finding(check, false, toAppError(thrown).message);
      }
    },
    /** Compares this computer's clock with the platform's. */
    checkClock: async ({ url, method = 'GET', mostMs }: ClockOptions): Promise<Finding> => {
      const signal = AbortSignal.timeout(CLOCK_WAIT_MS);
      const { headers, body } = await request(url, { method, signal });
      const receivedMs = Date.now();
      await body.dump();
      const { date } = headers;
      const skewMs = typeof date === 'string' ? receivedMs - Date.parse(date) : Number.NaN;
      if (Number.isNaN(skewMs)) return finding('clock', true, `${platform} did not tell its time`);
      const isFine = Math.abs(skewMs) <= mostMs;
      const detail = `${Math.round(skewMs / 1_000)} s from ${platform}'s`;
      return finding('clock', isFine, isFine ? detail : `${detail}: set this computer's clock`);
    },
  };
};
