/** When to look for lost connections, in milliseconds. */
export interface LossLimits {
  /** Time between checks. */
  readonly intervalMs: number;
  /** How long a statement may run before the server is asked about it. */
  readonly silentMs: number;
  /** How long an answer may be on its way after the server has sent it. */
  readonly answerMs: number;
}
