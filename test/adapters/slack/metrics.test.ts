import { expect, test } from 'vitest';
import { createSlackApi } from '../../../adapters/slack/api.ts';
import { declareSlackMetrics } from '../../../adapters/slack/metrics.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { serve } from '../../fakes/serve.ts';

test('requests that Slack refuses for now are counted, though they are sent again', async () => {
  const refusals = [429, 429];
  await using server = await serve((_, response) => {
    const status = refusals.pop() ?? 200;
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end(JSON.stringify({ ok: status === 200 }));
  });
  const metrics = createMetrics();
  const { rateLimited, connected } = declareSlackMetrics(metrics);
  const api = createSlackApi(
    { url: `${server.url}/`, speed: 1_000, random: () => 0, rateLimited },
    { tokenOf: async () => 'xoxb-1', tokenKnown: () => 'xoxb-1', tokenRefused: () => undefined },
  );
  await api.call({ platform: 'slack', id: 'team' }, 'chat.update');
  connected();
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('dragoman_platform_rate_limited_total{platform="slack"} 2');
  expect(lines).toContain('dragoman_slack_connections_total 1');
});
