import type { Replication } from '../../../src/authoring.js';
import { callsOf } from './list.js';
import {
  commentList,
  comments,
  issueList,
  issues,
  projectList,
  projects,
  stateList,
  teamList,
  teams,
  userList,
  users,
  workflowStates,
} from './lists.js';

const lists = [issueList, projectList, teamList, stateList, userList, commentList];

/** Replication of Linear's records. */
export const replication: Replication = {
  interval: '5m',
  calls: Object.assign({}, ...lists.map(callsOf)),
  entities: { issues, projects, teams, workflow_states: workflowStates, users, comments },
};
