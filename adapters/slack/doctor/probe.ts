import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'undici';

const PROBE_MS = 10_000;

/**
 * Program behind an address for Slack's requests: Dragoman with this secret, one that refuses the
 * secret, another one, or none.
 */
export type Answerer = 'ours' | 'refuses' | 'other' | 'nothing';

/** Asks an address for the answer to a challenge, as Slack does when it is entered there. */
export const probe = async (
  address: string,
  signingSecret: string,
  nowMs: number,
): Promise<Answerer> => {
  const challenge = randomUUID();
  const body = JSON.stringify({ type: 'url_verification', challenge });
  const timestamp = String(Math.floor(nowMs / 1_000));
  const hash = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`);
  try {
    const answer = await request(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${hash.digest('hex')}`,
      },
      body,
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const text = await answer.body.text();
    if (answer.statusCode === 401) return 'refuses';
    return answer.statusCode === 200 && text.includes(challenge) ? 'ours' : 'other';
  } catch {
    return 'nothing';
  }
};
