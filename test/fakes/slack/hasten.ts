import process from 'node:process';
import { POSTS, RATES } from '../../../adapters/slack/limits.ts';

/*
 * Loaded into a program that runs beside Slack's fake: the program's rates are as many times faster as time passes in the
 * fake, as an adapter's own are by its `speed`.
 */
const speed = Number(process.env['FAKE_SLACK_SPEED']);

for (const rate of new Set([...Object.values(RATES), POSTS]))
  Object.assign(rate, { perMs: rate.perMs / speed });
