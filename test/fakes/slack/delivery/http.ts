import { createHmac } from 'node:crypto';
import type { World } from '../state.ts';
import type { Attempt, Outcome, Transport } from './transport.ts';

/** A request as Slack sends it: body and headers with its signature. */
export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs a body (docs.slack.dev, "Verifying requests from Slack"). */
export const signatureOf = (secret: string, timestampS: number, body: string): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestampS}:${body}`).digest('hex')}`;

export const signed = (
  world: World,
  { kind, payload, retry, reason }: Attempt,
  timestampS = Math.floor(world.clock.now() / 1_000),
): SignedRequest => {
  const isForm = kind !== 'events_api';
  const form = kind === 'interactive' ? { payload: JSON.stringify(payload) } : payload;
  const body = isForm
    ? new URLSearchParams(form as Record<string, string>).toString()
    : JSON.stringify(payload);
  return {
    body,
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'x-slack-request-timestamp': String(timestampS),
      'x-slack-signature': signatureOf(world.app.signingSecret, timestampS, body),
      ...(retry > 0
        ? { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': reason ?? '' }
        : {}),
    },
  };
};

/** @param ackMs time to answer */
export const createHttp = (world: World, ackMs: number): Transport => ({
  deliver: async (attempt): Promise<Outcome> => {
    const { requestUrl } = world.app;
    if (requestUrl === undefined) return { acked: false, reason: 'connection_failed' };
    const sentAt = Date.now();
    try {
      const response = await fetch(requestUrl, {
        method: 'POST',
        ...signed(world, attempt),
        redirect: 'manual',
        signal: AbortSignal.timeout(ackMs),
      });
      const text = await response.text();
      if (response.status !== 200) return { acked: false, reason: 'http_error' };
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const body: unknown =
        isJson && text !== '' ? JSON.parse(text) : text === '' ? undefined : { text };
      return { acked: true, body, afterMs: Date.now() - sentAt };
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
      return { acked: false, reason: isLate ? 'http_timeout' : 'connection_failed' };
    }
  },
});
