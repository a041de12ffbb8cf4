import slack from '../../../adapters/slack/index.ts';
import { parseConfig } from '../../../src/config.ts';
import type { Finding } from '../../../src/model/service.ts';
import { isFailure } from '../../../src/ops/doctor.ts';
import type { SlackFake } from '../../fakes/slack/index.ts';
import { createTestCore } from '../discord/support.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the doctor finds at that Slack with these variables; `of` finds what it says of something. */
export const examineAt = async (
  fake: SlackFake,
  environment: Environment,
  core = createTestCore(),
  isAsked = false,
) => {
  const { values } = parseConfig(
    { SLACK_API_URL: fake.url, ...environment },
    { values: slack.config },
  );
  const found: Finding[] = await Array.fromAsync(slack.diagnose!(values as never, core, isAsked));
  const of = (check: string): Finding | undefined =>
    found.find((one) => one.check === `Slack: ${check}`);
  return { found, of, failures: found.filter(isFailure).map(({ check }) => check) };
};
