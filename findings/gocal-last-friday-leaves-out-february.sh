#!/usr/bin/env bash
# Guess: gocal expands a series on the last Friday of each month (`BYDAY=-1FR`) to those days, and leaves out each date of
#   `EXDATE:…,…`.
# Happens (gocal 0.9.1): from January 26, it continues on March 1 and March 29: the day of the start, or the next Friday. A
#   list of dates in one EXDATE is ignored; two lines are not. The instance at `UNTIL` is missing, and a monthly event on the
#   31st moves to the 2nd of the next months.
# Why it matters: closings, reports and payments fall on last Fridays. All days returned are Fridays, and no error says that
#   the rule was read in part.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > go.mod <<'GO'
module probe
go 1.25
require github.com/apognu/gocal v0.9.1
GO
cat > main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/apognu/gocal"
)

func dates(day string, lines ...string) string {
	head := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//x//EN", "BEGIN:VEVENT", "UID:1", "SUMMARY:x"}
	times := []string{"DTSTAMP:20240101T000000Z", "DTSTART:" + day + "T090000Z", "DTEND:" + day + "T100000Z"}
	all := append(append(append(head, times...), lines...), "END:VEVENT", "END:VCALENDAR", "")
	parser := gocal.NewParser(strings.NewReader(strings.Join(all, "\r\n")))
	start, end := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	parser.Start, parser.End = &start, &end
	if err := parser.Parse(); err != nil {
		panic(err)
	}
	var found []string
	for _, event := range parser.Events {
		found = append(found, event.Start.Format("01-02"))
	}
	return strings.Join(found, " ")
}

func main() {
	lastFriday := dates("20240126", "RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3")
	excluded := dates("20240101", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20240102T090000Z,20240103T090000Z")
	until := dates("20240101", "RRULE:FREQ=DAILY;UNTIL=20240103T090000Z")
	month := dates("20240131", "RRULE:FREQ=MONTHLY;COUNT=3")
	fmt.Println("gocal 0.9.1: last Fridays", lastFriday, "| without two", excluded, "| until 3rd", until, "| 31st", month)
	found := strings.Join([]string{lastFriday, excluded, until, month}, ", ")
	if found != "01-26 03-01 03-29, 01-01 01-02 01-03, 01-01 01-02, 01-31 03-02 04-02" {
		os.Exit(1)
	}
}
GO
go mod tidy > tidy.log 2>&1 || { cat tidy.log; exit 1; }
go run .
