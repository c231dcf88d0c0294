/** Who may approve: anyone with the scope `write`, or anyone but who prepared the write. */
export type ApprovalBy = 'any' | 'other';

/** What may be done through the connectors of a workspace, or through one of them. */
export interface PolicyRule {
  /** Refuses whatever changes data. */
  readonly readOnly: boolean;
  /** What may be done, as `entity.action` with `*` for any, for one type alone as `type:entity.action`; null for everything. */
  readonly allow: readonly string[] | null;
  /** Which writes need an approved plan, by the same patterns; null for none. */
  readonly approval: readonly string[] | null;
  readonly approvalBy: ApprovalBy;
}

/** A rule, and what it is for. */
export interface Policy extends PolicyRule {
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** Null where the rule is for all of the workspace. */
  readonly connectorId: string | null;
  readonly updatedAt: string;
}

/** What a rule is for. */
export interface PolicyTarget {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly connectorId: string | null;
}

/** The rules in force. */
export interface Policies {
  /** Those of an organisation or, for a token of one workspace, of that alone. */
  list(scope: { readonly organizationId: string; readonly workspaceId?: string | undefined }): Promise<Policy[]>;
  /** Those that a call through a connector must satisfy, all of them; nothing where there is no such connector, any more. */
  applicableTo(target: {
    readonly organizationId: string;
    readonly workspaceId: string;
    readonly id: string;
  }): Promise<Policy[] | undefined>;
  /** Puts a rule in place of the one before; without a rule everything is allowed again. */
  put(target: PolicyTarget, rule: PolicyRule | null): Promise<void>;
}
