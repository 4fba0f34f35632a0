// The racksim command.
int main() {
  return 0;
}
